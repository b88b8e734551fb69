/** The captcha's verifier. */
export interface Challenge {
  /** Undefined where no keys are set at deployment. */
  readonly siteKey: string | undefined
  /** True where the verifier vouches for this response; false where it does not, or cannot be reached in time. */
  verify(response: string, clientAddress: string): Promise<boolean>
}
