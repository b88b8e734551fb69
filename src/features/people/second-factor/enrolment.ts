import { randomBytes } from 'node:crypto'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Call, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { HOUR_MILLISECONDS } from '../../../rules/time.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { recountFactors } from '../account/statements.ts'
import { decideSignedIn } from '../sessions/sessions.ts'
import { endSecondStepsOf } from '../sessions/statements.ts'
import { matchingStep, newBackupCodes, SEALED_FOR, secretOf, totpUri } from './one-time-codes.ts'
import * as store from './store.ts'

const SECRET_BYTES = 20
/** Later, a secret that was shown but never confirmed is useless to anyone who finds it. */
const WAITS_MILLISECONDS = HOUR_MILLISECONDS

/** The app takes effect with its first correct code; until then the earlier one stays. */
export async function enableTotp(call: SignedInCall, issuer: string) {
  const { platform, caller } = call
  const { meta, secretBox, now } = platform
  const { id: userId, email } = caller.user
  await refuseSwitchedOff(call)
  const secret = randomBytes(SECRET_BYTES)
  const { codes, rows } = newBackupCodes(platform, userId)
  const sealed = secretBox.seal(SEALED_FOR, secret.toString('base64'))
  await decideSignedIn(call, [], async (act) => {
    act.write(
      store.deleteTotp(meta, userId, 0),
      store.deleteBackupCodes(meta, userId, 0),
      store.insertTotp(meta, { id: newId(), user_id: userId, sealed, created_at: now() }),
      store.insertBackupCodes(meta, rows, 0),
    )
  })
  return { method: 'totp' as const, totpURI: totpUri(secret, issuer, email), backupCodes: codes }
}

export async function refuseSwitchedOff(call: Call): Promise<void> {
  const { authentication } = await settingsOf(call)
  if (authentication.second_factor !== 'off') return
  throw new Refusal('SECOND_FACTOR_DISABLED', 'Second factors are disabled here.')
}

/** Returns true for the first correct code of a new app, which also ends the devices trusted under the earlier one. */
export async function confirmTotp(call: SignedInCall, code: string): Promise<boolean> {
  const { platform, caller } = call
  const { meta, now } = platform
  const userId = caller.user.id
  const waiting = await findWaiting(platform, userId)
  if (!waiting) return false
  const step = matchingStep(secretOf(platform, waiting.sealed), code, now())
  if (step === undefined) return false
  await refuseSwitchedOff(call)
  const read = [
    store.totpOf(meta, userId, 0),
    store.totpOf(meta, userId, 1),
    store.waitingBackupCodes(meta, userId),
  ] as const
  return decideSignedIn(call, read, async (act, user, [unused], [former], waitingCodes) => {
    if (unused?.id !== waiting.id) return false
    if (former) act.write(...endSecondStepsOf(meta, userId), store.deleteTotp(meta, userId, 1))
    act.write(
      store.setTotpConfirmed(meta, waiting.id, step, now()),
      // Codes that were renewed since the app was shown have replaced those shown with it.
      ...(waitingCodes.length > 0
        ? [store.deleteBackupCodes(meta, userId, 1), store.activateBackupCodes(meta, userId)]
        : []),
      ...recountFactors(meta, userId),
    )
    act.record('factor.add', { ...aboutApp(user), letter: 'totp added' })
    return true
  })
}

export async function renewBackupCodes(call: SignedInCall): Promise<readonly string[]> {
  const { platform, caller } = call
  const { meta } = platform
  const { id: userId } = caller.user
  const { codes, rows } = newBackupCodes(platform, userId)
  await decideSignedIn(call, [], async (act, user) => {
    if (user.factors === '') throw new Refusal('INVALID_REQUEST', 'Add a second factor first.')
    act.write(
      store.deleteBackupCodes(meta, userId, 0),
      store.deleteBackupCodes(meta, userId, 1),
      store.insertBackupCodes(meta, rows, 1),
    )
    act.record('factor.backup_codes', { user })
  })
  return codes
}

/** Removes the authenticator app. Passkeys stay; they are removed one at a time. */
export async function disableTotp(call: SignedInCall): Promise<void> {
  const { meta } = call.platform
  const userId = call.caller.user.id
  await decideSignedIn(call, [store.totpOf(meta, userId, 1)], async (act, user, [confirmed]) => {
    act.write(
      store.deleteTotp(meta, userId, 0),
      store.deleteTotp(meta, userId, 1),
      ...recountFactors(meta, userId),
      ...endSecondStepsOf(meta, userId),
    )
    if (confirmed) act.record('factor.remove', { ...aboutApp(user), letter: 'totp removed' })
  })
}

function aboutApp(user: UserTable) {
  return { user, subject: { type: 'user', id: user.id }, details: { factor: 'totp' } } as const
}

/** The URI of the app that waits for its first code, otherwise of the one in use; undefined without either. */
export async function totpUriOf({ platform, caller }: SignedInCall, issuer: string) {
  const { id, email } = caller.user
  const waiting = await findWaiting(platform, id)
  const factor = waiting ?? (await store.totpOf(platform.meta, id, 1).executeTakeFirst())
  return factor && totpUri(secretOf(platform, factor.sealed), issuer, email)
}

async function findWaiting({ meta, now }: Platform, userId: string) {
  const factor = await store.totpOf(meta, userId, 0).executeTakeFirst()
  return factor && factor.created_at > now() - WAITS_MILLISECONDS ? factor : undefined
}
