import { createVerifierAt } from './caching-verifier.ts'
import type { Verifier } from './checks.ts'
import { realClock, type VerifierOptions } from './options.ts'

export type { Caller } from './caller.ts'
export type { Checked, Needed, Verifier } from './checks.ts'
export type { RequestLike } from './credential.ts'
export type { VerifierOptions } from './options.ts'

export function createVerifier(options: VerifierOptions): Verifier {
  return createVerifierAt(options, realClock)
}
