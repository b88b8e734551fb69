/** The facts about the sender of a request, before any sign-in. */
export interface Sender {
  readonly requestId: string
  readonly address: string
  readonly userAgent: string
  /** `AS`, `EU`, …; only from a trusted proxy. */
  readonly continent: string | undefined
}
