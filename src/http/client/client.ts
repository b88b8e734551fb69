/** What is known about the sender before any sign-in. */
export interface Client {
  readonly requestId: string
  readonly address: string
  readonly userAgent: string
  /** `AS`, `EU`, …; only from a trusted proxy. */
  readonly continent: string | undefined
}
