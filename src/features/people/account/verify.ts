import { sql } from 'kysely'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { endAccess } from '../../access/ending/ending.ts'
import type { Act } from '../../ground/acts/acts.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { findCaller } from '../callers/find-caller.ts'
import { forgetNetworks } from '../sessions/statements.ts'
import { setVerified, userByEmail, verified } from '../users/statements.ts'
import { decideMailedCode, withinNetwork } from './codes/codes.ts'
import { sendCode } from './codes/sending.ts'
import { codeRequestsFrom, otpSignInDisabled, withCooldown } from './email-rules.ts'
import type { RequestCode, VerifyEmail } from './input.ts'
import { usersOfBrowser } from './known-browser.ts'
import { deleteUnprovenAccounts } from './providers/store.ts'
import { deleteUnprovenFactors, passkeyAlone } from './statements.ts'
import { wireUser } from './wire.ts'

export async function sendVerificationCode(call: Call, { email, type }: RequestCode) {
  const { platform, sender } = call
  if (type === 'sign-in') throw otpSignInDisabled()
  const settings = await settingsOf(call)
  await withCooldown(platform, settings, 'send_verification_email', email, codeRequestsFrom(sender), () =>
    sendCode(call, 'email-verification', email),
  )
  return { success: true as const }
}

/**
 * A code never signs in: no token, no cookie. A first proof in a browser that is not the owner's ends everything that
 * existed before, the password included. No new password is set; the user chooses one with a reset.
 */
export async function verifyEmail(call: Call, { email, otp }: VerifyEmail) {
  const { platform } = call
  const { meta, now } = platform
  const ownedHere = await usersOwnedHere(call)
  const shown = { purpose: 'email-verification', email, otp } as const
  const passkeys = passkeyAlone(meta, sql<string>`${userByEmail(meta, email).select('user.id')}`)
  const { user, ...kept } = await withinNetwork(call, otp, () =>
    decideMailedCode(call, shown, [passkeys], async (act, { user, passwordHash }, [passkey]) => {
      const isClaimed = user.email_proven_at === null && !ownedHere.has(user.id)
      if (isClaimed) {
        endAccess(act, platform, 'address proven by another browser', user.id)
        act.write(
          forgetNetworks(meta, user.id),
          deleteUnprovenAccounts(meta, user),
          ...deleteUnprovenFactors(meta, user, now()),
        )
        act.record('user.claimed', { user })
      }
      act.record('user.verify_email', { by: user })
      return {
        user: proveAddress(act, platform, user),
        hasPassword: passwordHash !== null && !isClaimed,
        hasPasskey: passkey !== undefined && !isClaimed,
      }
    }),
  )
  return { status: true as const, token: null, user: wireUser(platform, user), ...kept }
}

/**
 * The users who signed up in this browser, or whose credential or session it has shown. Which credential does not
 * matter: until the first proof, only one that was there could set the next.
 */
async function usersOwnedHere(call: Call): Promise<ReadonlySet<string>> {
  const caller = await findCaller(call.platform, call.exchange)
  return new Set([...usersOfBrowser(call), ...(caller?.credential.kind === 'session' ? [caller.user.id] : [])])
}

/** Marks the address of a user as proven who has shown that they read its mail. */
export function proveAddress(act: Act, { meta, now }: Platform, user: UserTable): UserTable {
  const proven = verified(user, now())
  if (user.email_verified === 0) act.record('user.verified', { user })
  act.write(setVerified(meta, proven))
  return proven
}
