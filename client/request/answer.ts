export interface Answer {
  readonly status: number
  readonly reason: string
  readonly headers: Headers
  readonly body: Buffer
  /** True if the response goes on after `body`, and the caller wanted no more. */
  readonly isCut: boolean
}
