import { type Kysely, type SqlBool, sql } from 'kysely'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among, type Condition, type CreatedKey, createdAfter } from '../../../database/sql/conditions.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta, Shard } from '../../../database/store.ts'
import type { Belonging } from '../../tenancy/shards/belongings.ts'

const EXPORTED = ['id', 'type', 'title', 'content', 'link', 'level', 'created_at'] as const

export const READ_MARKS: Belonging = { table: 'notification_reads', key: 'notification_id' }

export async function countPublished(meta: Meta): Promise<number> {
  const row = await meta
    .selectFrom('notifications')
    .select((eb) => eb.fn.countAll<number>().as('published'))
    .where('parent_id', 'is', null)
    .where(({ or, eb }) => or([eb('archived_at', 'is', null), eb('held', '=', 'audience')]))
    .executeTakeFirstOrThrow()
  return row.published
}

/** The notifications for this user alone, oldest first; for the user's export. */
export function targetedAfter(meta: Meta, userId: string, after: CreatedKey | undefined, limit: number) {
  return meta
    .selectFrom('notifications')
    .select(EXPORTED)
    .where('target_user_id', '=', userId)
    .where((eb) => eb.and([...createdAfter(after)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
}

/** Every save of preferences locks the user first; a decision that reads them to write has done so too. */
export function preferencesOf(meta: Kysely<MetaTables>, userId: string) {
  return meta
    .selectFrom('notification_preference')
    .select(['type', 'email'])
    .where('user_id', '=', userId)
    .orderBy('type')
}

/** A condition on users: those who did not end the letters about this type. */
export function wantsLetters(meta: Meta, type: string): Condition {
  const unwilling = meta
    .selectFrom('notification_preference')
    .select('user_id')
    .where('type', '=', type)
    .where('email', '=', 'off')
  return sql<SqlBool>`${sql.ref('user.id')} not in ${unwilling}`
}

export function readMarksAfter(shard: Shard, userId: string, after: string, limit: number) {
  return shard
    .selectFrom('notification_reads')
    .select('notification_id')
    .where('user_id', '=', userId)
    .where('notification_id', '>', after)
    .orderBy('notification_id')
    .limit(limit)
}

/** Takes no lock: what a kind is worded with is never changed. */
export function factsOfNotifications(meta: Meta, ids: readonly string[]) {
  return meta.selectFrom('notifications').select(['id', 'data']).where(among('id', ids))
}

export async function titlesOfNotifications({ primary }: Meta, ids: readonly string[]) {
  const rows = await primary.selectFrom('notifications').select(['id', 'title']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, title }) => [id, title]))
}

/** Returns the notifications that stay because they are in use. */
export async function deleteNotifications(meta: Meta, ids: readonly string[]): Promise<readonly string[]> {
  const which = among('id', ids)
  await sweepRows(meta, 'notifications', 'id', () => which)
  const left = await meta.primary.selectFrom('notifications').select('id').where(which).execute()
  return left.map(({ id }) => id)
}
