import { z } from 'zod'
import { sealedCookie } from '../../../../http/answers/sealed-cookie.ts'
import type { Call } from '../../../../http/route.ts'
import { DAY_SECONDS } from '../../../../rules/time.ts'

/** The password or the passkey, as the store would know it. */
const SignedUp = z.object({
  email: z.string(),
  passwordHash: z.string().optional(),
  passkey: z.string().optional(),
})
type SignedUp = z.output<typeof SignedUp>

const COOKIE = sealedCookie('signed_up', {
  purpose: 'password of a sign-up',
  schema: SignedUp,
  // A user who verifies later than this, in a browser without a session, must choose a new password.
  lifetimeSeconds: 7 * DAY_SECONDS,
})

/**
 * Shows that this browser signed up with this address, and with which password or passkey; that one is kept if
 * the address is proven here. Every sign-up gets the cookie, so it does not reveal whether the address was
 * taken.
 */
export function keepSetterCookie(call: Call, { email, passwordHash, passkey }: SignedUp): void {
  // Nothing else that a caller has: a browser drops a cookie of more than 4 KiB.
  COOKIE.set(call, { email, passwordHash, passkey })
}

export function credentialSetHere(call: Call, email: string): Pick<SignedUp, 'passwordHash' | 'passkey'> {
  const signedUp = COOKIE.of(call)
  return signedUp?.email === email ? signedUp : {}
}
