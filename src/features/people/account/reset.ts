import type { Call } from '../../../http/route.ts'
import { endAccess } from '../../access/ending/ending.ts'
import { requesterOf } from '../../ground/limits/requester.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { proveAddress } from '../sessions/proving.ts'
import { refuseUnchallenged } from './challenge.ts'
import { decideMailedCode, refuseDeadCode, withinNetwork } from './codes/codes.ts'
import { sendCode } from './codes/sending.ts'
import { codeRequestsFrom, withCooldown } from './email-rules.ts'
import type { RequestReset, ResetPassword } from './input.ts'
import { rememberBrowser } from './known-browser.ts'
import { refuseWeakPassword } from './password-rules.ts'
import { deleteUnprovenAccounts } from './providers/store.ts'
import { deleteUnprovenFactors } from './statements.ts'
import * as store from './store.ts'

export async function requestPasswordReset(call: Call, { email }: RequestReset) {
  const { platform, sender } = call
  const settings = await settingsOf(call)
  await refuseUnchallenged(call, settings)
  await withCooldown(platform, settings, 'request_password_reset', email, codeRequestsFrom(sender), () =>
    sendCode(call, 'password-reset', email),
  )
  return { success: true as const }
}

/**
 * Ends all access, deletes accounts linked before the first proof, which may not be the owner's, and verifies the
 * address. Strangers' guesses at the new password do not delay the browser that set it.
 */
export async function resetPassword(call: Call, { email, otp, password }: ResetPassword) {
  const { platform } = call
  const { meta, now } = platform
  await refuseWeakPassword(platform, email, password)
  const shown = { purpose: 'password-reset', email, otp } as const
  await withinNetwork(call, otp, async () => {
    await refuseDeadCode(call, shown)
    const hash = await platform.passwords.hash(password, requesterOf(call.sender, email))
    const id = await decideMailedCode(call, shown, [], async (act, { user }) => {
      endAccess(act, platform, 'password reset', user.id)
      act.write(
        deleteUnprovenAccounts(meta, user),
        ...deleteUnprovenFactors(meta, user, now()),
        store.setPassword(meta, user.id, hash, now()),
      )
      act.record('user.reset_password', { by: user, user })
      return proveAddress(act, platform, user).id
    })
    rememberBrowser(call, { id, password_hash: hash })
  })
  return { success: true as const }
}
