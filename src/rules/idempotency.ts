/** A request that its caller may send again: the same key, to the same route, with the same input. */
export interface KeyedRequest {
  readonly key: string
  readonly path: string
  /** The id of the program that acts for the user; undefined if it is the user's own browser. */
  readonly program: string | undefined
  /** A digest of the input. */
  readonly fingerprint: string
}
