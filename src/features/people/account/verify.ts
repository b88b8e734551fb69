import { sql } from 'kysely'
import type { Call } from '../../../http/route.ts'
import type { Caller } from '../../../rules/caller.ts'
import { endAccess } from '../../access/ending/ending.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { findCaller } from '../callers/find-caller.ts'
import { proveAddress } from '../sessions/proving.ts'
import { forgetNetworks } from '../sessions/statements.ts'
import { userByEmail } from '../users/statements.ts'
import { completeEmailChange } from './changing-email.ts'
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
  const caller = await sessionOf(call)
  const changed = caller && (await isChangeAllowed(call)) && (await completeEmailChange(call, caller, { email, otp }))
  if (changed) return { status: true as const, token: null, ...changed, user: wireUser(platform, changed.user) }
  const ownedHere = new Set([...usersOfBrowser(call), ...(caller ? [caller.user.id] : [])])
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

/** Its user is the owner's, as are those who signed up or showed a credential in this browser, whichever it was. */
async function sessionOf(call: Call): Promise<Caller | undefined> {
  const caller = await findCaller(call.platform, call.exchange)
  return caller?.credential.kind === 'session' ? caller : undefined
}

async function isChangeAllowed(call: Call): Promise<boolean> {
  return (await settingsOf(call)).authentication.email_changes === 'verified'
}
