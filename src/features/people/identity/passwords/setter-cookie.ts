import { z } from 'zod'
import { ownCookie } from '../../../../http/answers/own-cookie.ts'
import type { Exchange } from '../../../../http/exchange.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { DAY_SECONDS } from '../../../../rules/time.ts'

const SEALED_FOR = 'password of a sign-up'
const COOKIE = ownCookie('signed_up')
/** A user who verifies later than this, in a browser without a session, must choose a new password. */
const LIFETIME_SECONDS = 7 * DAY_SECONDS

/** The password or the passkey, as the store would know it. */
const Sealed = z.object({
  email: z.string(),
  passwordHash: z.string().optional(),
  passkey: z.string().optional(),
})
type SignedUp = z.output<typeof Sealed>

/**
 * Shows that this browser signed up with this address, and with which password or passkey; that one is kept if
 * the address is proven here. Every sign-up gets the cookie, so it does not reveal whether the address was
 * taken.
 */
export function keepSetterCookie(
  { config, secretBox }: Platform,
  exchange: Exchange,
  { email, passwordHash, passkey }: SignedUp,
): void {
  // Nothing else that a caller has: a browser drops a cookie of more than 4 KiB.
  const value = secretBox.seal(SEALED_FOR, JSON.stringify({ email, passwordHash, passkey }))
  COOKIE.set(exchange, config, value, LIFETIME_SECONDS)
}

export function credentialSetHere(
  { config, secretBox }: Platform,
  exchange: Exchange,
  email: string,
): Pick<SignedUp, 'passwordHash' | 'passkey'> {
  const value = COOKIE.of(exchange, config)
  if (value === undefined) return {}
  try {
    const signedUp = Sealed.parse(JSON.parse(secretBox.open(SEALED_FOR, value)))
    return signedUp.email === email ? signedUp : {}
  } catch {
    // Forged, or sealed under another key: treated as absent.
    return {}
  }
}
