import { type Kysely, sql } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { EmailChangeTable } from '../../../database/schema/people/account.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'

/** As long as the former address can be brought back. */
export const CHANGE_KEPT_MILLISECONDS = 7 * DAY_MILLISECONDS

/** Checked again after the write: see `formerAddress`. */
export const preparedFormerAddress = statement((meta: Meta, email: string, now: number) =>
  formerAddress(meta, email, now),
)

/**
 * A row if a user had the address until lately, and can still get it back. It is checked again after the write of a
 * decision that takes the address up: that write waits for the transaction that gives it up.
 */
export function formerAddress(db: Kysely<MetaTables>, email: string, now: number) {
  return db
    .selectFrom('email_change')
    .select('email_change.id')
    .where('former_email', '=', email)
    .where(sql<number>`changed_at + ${sql.lit(CHANGE_KEPT_MILLISECONDS)}`, '>', now)
}

export function insertEmailChange(meta: Meta, row: EmailChangeTable) {
  return meta.insertInto('email_change').values(row)
}

/** All of the last week. The user must be locked. */
export function emailChangesOf(meta: Meta, userId: string) {
  return meta.selectFrom('email_change').selectAll().where('user_id', '=', userId).orderBy('requested_at').orderBy('id')
}

/**
 * The newest wish for this address that is not fulfilled and was made under the address that the user has now: the link
 * in the letter about it brings that one back. The user must be locked.
 */
export function emailChangeTo(meta: Meta, userId: string, email: string) {
  return meta
    .selectFrom('email_change')
    .innerJoin('user', (join) =>
      join.onRef('user.id', '=', 'email_change.user_id').onRef('user.email', '=', 'email_change.former_email'),
    )
    .select('email_change.id')
    .where('email_change.user_id', '=', userId)
    .where('email_change.email', '=', email)
    .where('changed_at', 'is', null)
    .orderBy('requested_at', 'desc')
    .limit(1)
}

export function setChanged(meta: Meta, id: string, now: number) {
  return meta.updateTable('email_change').set({ changed_at: now }).where('id', '=', id)
}

/** Takes back a change and those after it, which may all be a thief's. */
export function deleteEmailChangesFrom(meta: Meta, { id, user_id, requested_at: at }: EmailChangeTable) {
  return meta
    .deleteFrom('email_change')
    .where('user_id', '=', user_id)
    .where((eb) => eb.or([eb('requested_at', '>', at), eb('requested_at', '=', at).and('id', '>=', id)]))
}

export function deleteOldEmailChanges(meta: Meta, before: number) {
  return sweepRows(meta, 'email_change', 'id', (row) =>
    row.and([
      row('requested_at', '<', before),
      row.or([row('changed_at', 'is', null), row('changed_at', '<', before)]),
    ]),
  )
}
