import type { SignedInCall } from '../../../http/route.ts'
import { checkedPasswordHash } from '../identity/passwords/password-proof.ts'
import { requireFresh } from '../sessions/freshness.ts'

/** A password sent now proves as much as a fresh session. */
export async function requireOwner(call: SignedInCall, password: string | undefined): Promise<void> {
  if (password === undefined) requireFresh(call)
  else await checkedPasswordHash(call, password)
}
