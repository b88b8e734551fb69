import type { Caller } from './caller.ts'
import type { RequestLike } from './credential.ts'

export interface Verifier {
  /** The caller of the request; undefined without a valid credential. Never rejects. */
  verify(request: RequestLike, needed?: Needed): Promise<Caller | undefined>
  /** The same with the reason, for a response with the right status. Never rejects. */
  check(request: RequestLike, needed?: Needed): Promise<Checked>
  /** The address where a user signs in and then returns to `returnTo`, whose origin the settings must allow. */
  signInUrl(returnTo: string): string
  /** Stops following; from then on the verifier asks. */
  close(): void
}

export interface Needed {
  /** A session passes; a grant must have it. */
  readonly scope?: string | undefined
}

export type Checked =
  | { readonly caller: Caller }
  | {
      readonly caller: undefined
      /** `unavailable`: it is not known here, and Gatehouse did not respond. */
      readonly refused: 'unauthorized' | 'forbidden' | 'insufficient_scope' | 'unavailable'
    }
