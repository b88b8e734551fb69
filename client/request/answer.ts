export interface Answer {
  readonly status: number
  readonly reason: string
  readonly headers: Headers
  readonly body: Buffer
}
