import { type Expression, sql } from 'kysely'
import type { PasskeyTable } from '../../../database/schema/people/factors.ts'
import { integer } from '../../../database/sql/integer.ts'
import type { Meta } from '../../../database/store.ts'
import { userById } from '../../users/statements.ts'

export function passkeysOf(meta: Meta, userId: string) {
  return meta.primary
    .selectFrom('passkey')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function passkeyById(meta: Meta, id: string) {
  return meta.selectFrom('passkey').select('passkey.id').where('passkey.id', '=', id)
}

/** A condition: the user still has this passkey. */
export function passkeyOfUser(meta: Meta, userId: string, id: string) {
  return passkeyById(meta, id).where('passkey.user_id', '=', userId)
}

export function passkeyByCredential(meta: Meta, credentialId: string) {
  return meta.primary
    .selectFrom('passkey')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
}

/** However many are made ready at once, no account has more. */
export const MOST_PASSKEYS = 20

/**
 * Nothing if the user is gone or has as many as there can be, or the authenticator is registered already. After
 * `lockUser`, or in the batch that makes the user: so the count is exact. A credential is unique.
 */
export function insertPasskey(meta: Meta, row: PasskeyTable, onlyIf?: Expression<unknown>) {
  return meta
    .insertInto('passkey')
    .columns([
      'id',
      'user_id',
      'credential_id',
      'public_key',
      'counter',
      'device_type',
      'is_backed_up',
      'is_user_verified',
      'transports',
      'aaguid',
      'name',
      'last_use',
      'created_at',
    ])
    .expression(
      userById(meta, row.user_id)
        .where((eb) => (onlyIf ? eb.exists(onlyIf) : eb.lit(true)))
        .where(countOf(meta, row.user_id), '<', MOST_PASSKEYS)
        .select([
          sql.val(row.id).as('id'),
          'user.id as user_id',
          sql.val(row.credential_id).as('credential_id'),
          sql.val(row.public_key).as('public_key'),
          integer(row.counter).as('counter'),
          sql.val(row.device_type).as('device_type'),
          sql.lit(row.is_backed_up).as('is_backed_up'),
          sql.lit(row.is_user_verified).as('is_user_verified'),
          sql.val(row.transports).as('transports'),
          sql.val(row.aaguid).as('aaguid'),
          sql.val(row.name).as('name'),
          sql.val(row.last_use).as('last_use'),
          integer(row.created_at).as('created_at'),
        ]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
}

function countOf(meta: Meta, userId: string) {
  return meta
    .selectFrom('passkey')
    .select((eb) => eb.fn.countAll<number>().as('passkeys'))
    .where('passkey.user_id', '=', userId)
}

interface Use {
  readonly id: string
  readonly counter: number
  readonly isBackedUp: 0 | 1
  readonly isUserVerified: boolean
  readonly now: number
}

/** Only from the counter that was compared: after `lockUser` one of two at once counts. */
export function spendPasskey(
  meta: Meta,
  { id, last_use, counter }: Pick<PasskeyTable, 'id' | 'last_use' | 'counter'>,
  use: Use,
  onlyIf: Expression<unknown>,
) {
  return meta
    .updateTable('passkey')
    .set({ counter: use.counter, is_backed_up: use.isBackedUp, last_use: use.id, last_used_at: use.now })
    .$if(use.isUserVerified, (query) => query.set({ is_user_verified: 1 }))
    .where('id', '=', id)
    .where('counter', '=', counter)
    .where('last_use', '=', last_use)
    .where(({ exists }) => exists(onlyIf))
}

export function passkeyUsedBy(meta: Meta, id: string, use: string) {
  return meta.selectFrom('passkey').select('passkey.id').where('id', '=', id).where('last_use', '=', use)
}

export async function renamePasskey(meta: Meta, userId: string, id: string, name: string) {
  return meta
    .updateTable('passkey')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
}

/**
 * The condition is that another way in remains. The guard of the batch has locked the user's row, so that two
 * removals cannot each count on the other's passkey.
 */
export function deletePasskey(meta: Meta, userId: string, id: string, onlyIf: Expression<unknown>) {
  return meta
    .deleteFrom('passkey')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where(({ exists }) => exists(onlyIf))
}
