import type { Expression } from 'kysely'
import { batchBehind } from '../../../../database/guard.ts'
import type { SignedInCall } from '../../../../http/route.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { noticeToOwnerIf } from '../../../delivery/mail/notices/notices.ts'
import { type Act, actorOf, auditEntryIf } from '../../../ground/audit/audit.ts'
import { whileSignedIn } from '../../sessions/sessions.ts'
import { endSecondStepsOf } from '../../sessions/statements.ts'
import { userOnly, withoutFactors } from '../../users/statements.ts'
import { passkeyAlone, recountFactors } from '../statements.ts'
import * as store from './store.ts'

export function listPasskeys({ meta }: Platform, userId: string) {
  return store.passkeysOf(meta, userId)
}

export async function renamePasskey(call: SignedInCall, id: string, name: string) {
  const { platform, caller } = call
  const { meta } = platform
  const userId = caller.user.id
  const act: Act = { action: 'factor.rename', details: { name } }
  const change = store.setPasskeyName(meta, userId, id, name)
  const rows = await meta.batch([
    change,
    auditEntryIf(platform, actorOf(call), act, store.passkeyOfUser(meta, userId, id)),
  ])
  const [row] = rows.of(change)
  if (!row) throw unknownPasskey()
  return row
}

/** Only while another passkey, a password or a provider lets the user in. */
export async function removePasskey(
  call: SignedInCall,
  id: string,
  otherWayIn: Expression<unknown>,
): Promise<void> {
  const { platform, caller } = call
  const { meta } = platform
  const userId = caller.user.id
  const row = await findPasskey(platform, userId, id)
  if (!row) throw unknownPasskey()
  const user = userOnly(meta, userId)
  const otherPasskey = passkeyAlone(meta, userId).where('other.id', '<>', id)
  const canGo = user
    .where(({ exists }) => exists(store.passkeyOfUser(meta, userId, id)))
    .where(({ or, exists }) => or([exists(otherPasskey), exists(otherWayIn)]))
  const details = { factor: 'passkey', name: row.name }
  const act: Act = { action: 'factor.remove', subject: { type: 'user', id: userId }, details }
  // The guard locks the user's row; every change of passkeys and accounts locks it first.
  await batchBehind(meta, whileSignedIn(platform, caller), [
    auditEntryIf(platform, actorOf(call), act, canGo),
    ...(await noticeToOwnerIf(call, caller.user, 'passkey removed', canGo)),
    store.deletePasskey(meta, userId, id, canGo),
    ...recountFactors(meta, user),
    ...endSecondStepsOf(meta, withoutFactors(meta, userId)),
  ])
  if (!(await findPasskey(platform, userId, id))) return
  throw new Refusal('FAILED_TO_UNLINK_LAST_ACCOUNT', 'This is your last way to sign in.')
}

async function findPasskey(platform: Platform, userId: string, id: string) {
  return (await listPasskeys(platform, userId)).find((passkey) => passkey.id === id)
}

function unknownPasskey(): Refusal {
  return new Refusal('PASSKEY_NOT_FOUND', 'You have no such passkey.')
}
