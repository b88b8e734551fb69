export interface Answer {
  readonly status: number
  readonly reason: string
  readonly headers: Headers
  readonly body: Buffer
  /** Whether the response goes on after `body`: the caller wanted no more. */
  readonly isCut: boolean
}
