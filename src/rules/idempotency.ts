/** A request that its caller may send again: the same key, to the same route, with the same input. */
export interface KeyedRequest {
  readonly key: string
  readonly path: string
  /** A digest of the input. */
  readonly fingerprint: string
}
