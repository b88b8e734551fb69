import type { Expression } from 'kysely'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { actorOf, auditEntry } from '../../audit/audit.ts'
import { tellOwner } from '../../mail/notices/notices.ts'
import { endSecondStepsOf } from '../../sessions/statements.ts'
import { lockUser, withoutFactors } from '../../users/statements.ts'
import { otherPasskeyOf, recountFactors, userOnly } from '../statements.ts'
import * as store from './store.ts'

export function listPasskeys({ meta }: Platform, userId: string) {
  return store.passkeysOf(meta, userId)
}

export async function renamePasskey({ meta }: Platform, userId: string, id: string, name: string) {
  const row = await store.renamePasskey(meta, userId, id, name)
  if (!row) throw unknownPasskey()
  return row
}

/** Only while another passkey, or an account, lets the user in. */
export async function removePasskey(
  call: SignedInCall,
  id: string,
  otherWayIn: Expression<unknown>,
): Promise<void> {
  const { platform, caller } = call
  const { meta } = platform
  const userId = caller.user.id
  const known = await store.passkeysOf(meta, userId)
  const row = known.find((passkey) => passkey.id === id)
  if (!row) throw unknownPasskey()
  const isWayLeft = userOnly(meta, userId).where(({ or, exists }) =>
    or([exists(otherPasskeyOf(meta, userId, id)), exists(otherWayIn)]),
  )
  const [, removed] = await meta.batch([
    lockUser(meta, userId),
    store.deletePasskey(meta, userId, id, isWayLeft),
    ...recountFactors(meta, userOnly(meta, userId)),
    ...endSecondStepsOf(meta, withoutFactors(meta, userId)),
  ] as const)
  if (removed.length === 0) {
    throw new Refusal('FAILED_TO_UNLINK_LAST_ACCOUNT', 'This is your last way to sign in.')
  }
  const details = { factor: 'passkey', name: row.name }
  await meta.batch([
    auditEntry(platform, actorOf(call), { action: 'factor.remove', details }),
    ...(await tellOwner(call, caller.user, 'passkey removed')),
  ])
}

function unknownPasskey(): Refusal {
  return new Refusal('PASSKEY_NOT_FOUND', 'You have no such passkey.')
}
