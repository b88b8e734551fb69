import type { NewPasskey, PasskeyTable } from '../../../../database/schema/people/second-factor.ts'
import type { Meta } from '../../../../database/store.ts'

/** While the user is locked, none is added or removed. */
export function passkeysOf(meta: Meta, userId: string) {
  return meta.primary
    .selectFrom('passkey')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
}

export function passkeyByCredential(meta: Meta, credentialId: string) {
  return meta.primary.selectFrom('passkey').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
}

/** The limit holds even if several are added at the same time. */
export const MOST_PASSKEYS = 20

/** A credential is unique: one that is already registered makes the decision roll back. */
export function insertPasskey(meta: Meta, row: NewPasskey) {
  return meta.insertInto('passkey').values(row)
}

interface Use {
  readonly id: string
  readonly counter: number
  readonly isBackedUp: 0 | 1
  readonly isUserVerified: boolean
  readonly now: number
}

/**
 * Takes effect only if nothing has used the passkey since its counter was compared. The user must be locked, so that
 * only one of two simultaneous uses counts.
 */
export function spendPasskey(meta: Meta, { id, last_use }: Pick<PasskeyTable, 'id' | 'last_use'>, use: Use) {
  return meta
    .updateTable('passkey')
    .set({ counter: use.counter, is_backed_up: use.isBackedUp, last_use: use.id, last_used_at: use.now })
    .$if(use.isUserVerified, (query) => query.set({ is_user_verified: 1 }))
    .where('id', '=', id)
    .where('last_use', '=', last_use)
    .returning('id')
}

export function setPasskeyName(meta: Meta, id: string, name: string) {
  return meta.updateTable('passkey').set({ name }).where('id', '=', id)
}

export function deletePasskey(meta: Meta, id: string) {
  return meta.deleteFrom('passkey').where('id', '=', id)
}

export function countFormerPasskeys(meta: Meta, domain: string) {
  return formerPasskeys(meta, domain)
    .select(['rp_id', (eb) => eb.fn.countAll<number>().as('passkeys')])
    .groupBy('rp_id')
    .orderBy('rp_id')
    .execute()
}

export function ownersOfFormerPasskeys(meta: Meta, domain: string, most: number) {
  return formerPasskeys(meta, domain).select('user_id').distinct().limit(most).execute()
}

export function deleteFormerPasskeys(meta: Meta, userId: string, domain: string) {
  return meta
    .deleteFrom('passkey')
    .where('passkey.user_id', '=', userId)
    .where('rp_id', '>', '')
    .where('rp_id', '<>', domain)
}

/** Two ranges instead of "is not", so that the index skips those of the current name. */
function formerPasskeys(meta: Meta, domain: string) {
  return meta.primary
    .selectFrom('passkey')
    .where((eb) => eb.or([eb.and([eb('rp_id', '>', ''), eb('rp_id', '<', domain)]), eb('rp_id', '>', domain)]))
}
