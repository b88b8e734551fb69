/** What is known of the sender before anybody has signed in. */
export interface Client {
  readonly requestId: string
  readonly address: string
  readonly userAgent: string
  /** `AS`, `EU`, …; only from a trusted front. */
  readonly continent: string | undefined
}
