import { type Kysely, sql } from 'kysely'
import type { Slice } from '../../http/page.ts'
import { prepared, preparedForIds } from '../../platform/prepared.ts'
import type { Meta, Shard } from '../../platform/store.ts'
import { type Condition, createdWithin, equals } from '../../store/conditions.ts'
import type { MetaTables, ShardTables } from '../../store/schema.ts'

export interface VisibleFilter {
  readonly type?: string | undefined
  readonly created_at_start?: number | undefined
  readonly created_at_end?: number | undefined
}

export function visiblePage(meta: Meta, userId: string, filter: VisibleFilter, slice: Slice) {
  return pageQuery(meta, userId, filter, slice).execute()
}

function pageQuery(db: Kysely<MetaTables>, userId: string, filter: VisibleFilter, { offset, limit }: Slice) {
  const shown = ['id', 'type', 'title', 'content', 'created_at'] as const
  return forEveryone(db, filter)
    .select(shown)
    .unionAll(targetedOnly(db, userId, filter).select(shown))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
}

export async function countVisible(meta: Meta, userId: string, filter: VisibleFilter): Promise<number> {
  const counts = await Promise.all(
    [forEveryone(meta, filter), targetedOnly(meta, userId, filter)].map((query) =>
      countIn(query).executeTakeFirstOrThrow(),
    ),
  )
  return counts.reduce((sum, { count }) => sum + count, 0)
}

// What everybody's page asks for, compiled once.

export function pageOfAll(meta: Meta, userId: string, { offset, limit }: Slice) {
  return unfilteredPage(meta, userId, limit, offset)
}

const unfilteredPage = prepared((db: Kysely<MetaTables>) => pageQuery(db, '', {}, { offset: 0, limit: 0 }))

export async function countOfAll(meta: Meta, userId: string): Promise<number> {
  const [counts] = await unfilteredCounts(meta, userId)
  return Number(counts?.everyones) + Number(counts?.targeted)
}

const unfilteredCounts = prepared((db: Kysely<MetaTables>) =>
  db.selectNoFrom([
    countIn(forEveryone(db, {})).as('everyones'),
    countIn(targetedOnly(db, '', {})).as('targeted'),
  ]),
)

function countIn(query: ReturnType<typeof forEveryone>) {
  return query.select((eb) => eb.fn.countAll<number>().as('count'))
}

/** Newest first; as one text, which is several times faster to fetch than as many rows. */
export async function visibleIds(meta: Meta, userId: string, filter: VisibleFilter) {
  const keys = ['id', 'created_at'] as const
  const row = await meta
    .selectFrom(
      forEveryone(meta, filter)
        .select(keys)
        .unionAll(targetedOnly(meta, userId, filter).select(keys))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .as('visible'),
    )
    .select((eb) => [
      joined('visible.id').as('ids'),
      eb.selectFrom('instance').select('value').where('name', '=', REVISION).as('revision'),
    ])
    .executeTakeFirstOrThrow()
  return { ids: split(row.ids), revision: row.revision ?? NEVER }
}

const SEPARATOR = '\n'

function joined(column: string) {
  return sql<string | null>`string_agg(${sql.ref(column)}, ${SEPARATOR})`
}

function split(ids: string | null): readonly string[] {
  return ids === null ? [] : ids.split(SEPARATOR)
}

const REVISION = 'notifications_revision'
const NEVER = '0'

/** Grows whenever somebody's list may have changed. */
export async function revision(meta: Meta): Promise<string> {
  const [row] = await revisionByName(meta, REVISION)
  return row?.value ?? NEVER
}

const revisionByName = prepared((db: Kysely<MetaTables>) =>
  db.selectFrom('instance').select('value').where('name', '=', REVISION),
)

export function countRevision(meta: Meta) {
  return meta
    .insertInto('instance')
    .values({ name: REVISION, value: '1' })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: sql<string>`cast(cast(instance.value as bigint) + 1 as text)` }),
    )
}

/** At most a page of them. */
export const byIds = preparedForIds((db: Kysely<MetaTables>, ids) =>
  db
    .selectFrom('notifications')
    .select(['id', 'type', 'title', 'content', 'created_at'])
    .where('id', 'in', ids),
)

// Two queries rather than one with `or`: each follows an index in order, and the engine merges them.

function forEveryone(db: Kysely<MetaTables>, filter: VisibleFilter) {
  return living(db, filter).where('target_user_id', 'is', null)
}

function targetedOnly(db: Kysely<MetaTables>, userId: string, filter: VisibleFilter) {
  return living(db, filter).where('target_user_id', '=', userId)
}

function living(db: Kysely<MetaTables>, filter: VisibleFilter) {
  return db
    .selectFrom('notifications')
    .where('archived_at', 'is', null)
    .where((eb) => eb.and([...conditions(filter)]))
}

export function conditions(filter: VisibleFilter): readonly Condition[] {
  return [...equals('type', filter.type), ...createdWithin(filter)]
}

export async function readMarksAmong(
  shard: Shard,
  userId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await marksByIds(shard, ids, userId)
  return new Set(rows.map(({ notification_id }) => notification_id))
}

const marksByIds = preparedForIds((db: Kysely<ShardTables>, ids) =>
  db
    .selectFrom('notification_reads')
    .select('notification_id')
    .where('user_id', '=', '')
    .where('notification_id', 'in', ids),
)

/** All of a user's, with how many writes there have been by then. */
export async function readMarks(shard: Shard, userId: string) {
  const row = await shard
    .selectFrom('notification_reads')
    .select((eb) => [
      joined('notification_id').as('ids'),
      eb.selectFrom('residents').select('writes').where('residents.user_id', '=', userId).as('writes'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return { ids: split(row.ids), writes: row.writes ?? 0 }
}

/** Every mark is one of the user's writes into the shard, which counts them. */
export async function writesOf(shard: Shard, userId: string): Promise<number> {
  const [row] = await writesOfResident(shard, userId)
  return row?.writes ?? 0
}

const writesOfResident = prepared((db: Kysely<ShardTables>) =>
  db.selectFrom('residents').select('writes').where('user_id', '=', ''),
)

/** Marks that are there already stay; answers those that are new. */
export function insertReadMarks(shard: Shard, userId: string, ids: readonly string[]) {
  return shard
    .insertInto('notification_reads')
    .values(ids.map((notification_id) => ({ notification_id, user_id: userId })))
    .onConflict((conflict) => conflict.columns(['notification_id', 'user_id']).doNothing())
    .returning('notification_id')
}

export function deleteReadMarks(shard: Shard, userId: string) {
  return shard.deleteFrom('notification_reads').where('user_id', '=', userId)
}

export function targetedAt(meta: Meta, userId: string) {
  return meta
    .selectFrom('notifications')
    .select(['id', 'type', 'title', 'content', 'created_at'])
    .where('target_user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
