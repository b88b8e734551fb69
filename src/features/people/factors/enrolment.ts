import { randomBytes } from 'node:crypto'
import { v7 as newId } from 'uuid'
import { batchBehind } from '../../../database/guard.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { HOUR_MILLISECONDS } from '../../../rules/time.ts'
import { noticeToOwner, noticeToOwnerIf } from '../../delivery/mail/notices/notices.ts'
import { type Act, actorOf, auditEntry, auditEntryIf, auditedOnce } from '../../ground/audit/audit.ts'
import { currentSettings } from '../../ground/settings/settings.ts'
import { stillSignedIn, whileSignedIn } from '../sessions/sessions.ts'
import { endSecondStepsOf } from '../sessions/statements.ts'
import { guardUser, userOnly, withoutFactors } from '../users/statements.ts'
import * as backupCodeStore from './backup-code-store.ts'
import { newBackupCodes } from './backup-codes.ts'
import { SEALED_FOR, secretOf } from './proofs.ts'
import { recountFactors } from './statements.ts'
import { matchingStep, totpUri } from './totp.ts'
import * as totpStore from './totp-store.ts'

const SECRET_BYTES = 20
/** So that a secret that was shown but never confirmed is useless to anyone who finds it later. */
const WAITS_MILLISECONDS = HOUR_MILLISECONDS

/** Takes effect with the first correct code; until then the earlier factor stays. */
export async function enableTotp({ platform, caller }: SignedInCall, issuer: string) {
  const { meta, secretBox, now } = platform
  const { id: userId, email } = caller.user
  await refuseSwitchedOff(platform)
  const secret = randomBytes(SECRET_BYTES)
  const { codes, rows } = newBackupCodes(platform, userId)
  const sealed = secretBox.seal(SEALED_FOR, secret.toString('base64'))
  await batchBehind(meta, whileSignedIn(platform, caller), [
    totpStore.deleteTotp(meta, userId, 0),
    backupCodeStore.deleteBackupCodes(meta, userId, 0),
    totpStore.insertTotp(meta, { id: newId(), user_id: userId, sealed, created_at: now() }),
    backupCodeStore.insertBackupCodes(meta, rows, 0),
  ])
  return { method: 'totp' as const, totpURI: totpUri(secret, issuer, email), backupCodes: codes }
}

export async function refuseSwitchedOff(platform: Platform): Promise<void> {
  const { authentication } = await currentSettings(platform)
  if (authentication.second_factor !== 'off') return
  throw new Refusal('SECOND_FACTOR_DISABLED', 'Second factors are disabled here.')
}

/** True if this was the first correct code of a new factor. It ends the devices that trusted the earlier one. */
export async function confirmTotp(call: SignedInCall, code: string): Promise<boolean> {
  const { platform, caller } = call
  const { meta, now } = platform
  const userId = caller.user.id
  const waiting = await totpStore.totpOf(meta, userId, 0)
  if (!waiting || waiting.created_at <= now() - WAITS_MILLISECONDS) return false
  const step = matchingStep(secretOf(platform, waiting.sealed), code, now())
  if (step === undefined) return false
  await refuseSwitchedOff(platform)
  const use = newId()
  const isFirst = totpStore.totpUsedBy(meta, waiting.id, use)
  const replaced = userOnly(meta, userId).where(({ exists, and }) =>
    and([exists(totpStore.waitingTotp(meta, waiting.id)), exists(totpStore.confirmedTotp(meta, userId))]),
  )
  const act: Act = {
    action: 'factor.add',
    subject: { type: 'user', id: userId },
    details: { factor: 'totp' },
  }
  const confirmation = totpStore.setTotpConfirmed(meta, waiting.id, step, use, now())
  // The guard locks the user's row; every change of factors locks it first.
  const rows = await batchBehind(meta, whileSignedIn(platform, caller), [
    ...endSecondStepsOf(meta, replaced),
    totpStore
      .deleteTotp(meta, userId, 1)
      .where(({ exists }) => exists(totpStore.waitingTotp(meta, waiting.id))),
    confirmation,
    backupCodeStore.deleteBackupCodes(meta, userId, 1).where(({ exists }) => exists(isFirst)),
    backupCodeStore.activateBackupCodes(meta, userId, isFirst),
    ...recountFactors(meta, userOnly(meta, userId)),
    auditEntryIf(platform, actorOf(call), act, isFirst),
    ...(await noticeToOwnerIf(call, caller.user, 'totp added', isFirst)),
  ])
  return rows.of(confirmation).length === 1
}

export async function renewBackupCodes(call: SignedInCall): Promise<readonly string[]> {
  const { platform, caller } = call
  const { meta } = platform
  const { id: userId, factors } = caller.user
  if (factors === '') throw new Refusal('INVALID_REQUEST', 'Add a second factor first.')
  const { codes, rows } = newBackupCodes(platform, userId)
  // Checked once the guard has locked the user's row; every change of factors locks it first.
  const isStill = stillSignedIn(meta, caller).where(({ not, exists }) =>
    not(exists(withoutFactors(meta, userId))),
  )
  await batchBehind(meta, guardUser(meta, userId, isStill, changedMeanwhile), [
    backupCodeStore.deleteBackupCodes(meta, userId, 1),
    backupCodeStore.insertBackupCodes(meta, rows, 1),
    auditEntry(platform, actorOf(call), { action: 'factor.backup_codes' }),
    ...(await noticeToOwner(call, caller.user, 'backup codes renewed')),
  ])
  return codes
}

function changedMeanwhile(cause: unknown): Refusal {
  const words = 'Meanwhile you were signed out, or your last second factor was removed.'
  return new Refusal('UNAUTHORIZED', words, { cause })
}

/** Removes the authenticator app. Passkeys stay; they are removed one at a time. */
export async function disableTotp(call: SignedInCall): Promise<void> {
  const { platform, caller } = call
  const { meta } = platform
  const userId = caller.user.id
  const user = userOnly(meta, userId)
  const act: Act = {
    action: 'factor.remove',
    subject: { type: 'user', id: userId },
    details: { factor: 'totp' },
  }
  const held = totpStore.confirmedTotp(meta, userId)
  const { entry, isDone } = auditedOnce(platform, actorOf(call), act, held)
  await batchBehind(meta, whileSignedIn(platform, caller), [
    entry,
    totpStore.deleteTotp(meta, userId, 0),
    totpStore.deleteTotp(meta, userId, 1),
    ...recountFactors(meta, user),
    ...endSecondStepsOf(meta, user),
    ...(await noticeToOwnerIf(call, caller.user, 'totp removed', isDone)),
  ])
}

/** Undefined if the user has no authenticator app. */
export async function totpUriOf({ platform, caller }: SignedInCall, issuer: string) {
  const factor = await totpStore.totpOf(platform.meta, caller.user.id, 1)
  return factor && totpUri(secretOf(platform, factor.sealed), issuer, caller.user.email)
}
