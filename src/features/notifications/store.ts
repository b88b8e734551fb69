import { type Kysely, sql } from 'kysely'
import { type Condition, createdWithin, equals } from '../../database/conditions.ts'
import { joined, split } from '../../database/joined.ts'
import { prepared, preparedForIds } from '../../database/prepared.ts'
import type { MetaTables } from '../../database/schema.ts'
import type { Meta } from '../../database/store.ts'
import type { Slice } from '../../rules/paging.ts'

const REVISION = 'notifications_revision'
const NEVER = '0'
const SHOWN = ['id', 'type', 'title', 'content', 'created_at'] as const

export interface VisibleFilter {
  readonly type?: string | undefined
  readonly created_at_start?: number | undefined
  readonly created_at_end?: number | undefined
}

export function visiblePage(meta: Meta, userId: string, filter: VisibleFilter, slice: Slice) {
  return pageQuery(meta, userId, filter, slice).execute()
}

function pageQuery(db: Kysely<MetaTables>, userId: string, filter: VisibleFilter, { offset, limit }: Slice) {
  return forEveryone(db, filter)
    .select(SHOWN)
    .unionAll(targetedOnly(db, userId, filter).select(SHOWN))
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

export function everyonesPage(meta: Meta, { offset, limit }: Slice) {
  return unfilteredPageOfEveryone(meta, limit, offset)
}

const unfilteredPageOfEveryone = prepared((db: Kysely<MetaTables>) =>
  forEveryone(db, {}).select(SHOWN).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(0).offset(0),
)

/** How many are for this user alone, and the counter that says whether the others are still as many. */
export async function targetedAndRevision(meta: Meta, userId: string) {
  const [row] = await targetedWithRevision(meta, userId, REVISION)
  return { targeted: Number(row?.targeted ?? 0), revision: row?.revision ?? NEVER }
}

const targetedWithRevision = prepared((db: Kysely<MetaTables>) =>
  db.selectNoFrom([countIn(targetedOnly(db, '', {})).as('targeted'), revisionIn(db).as('revision')]),
)

export async function everyonesAndRevision(meta: Meta) {
  const [row] = await everyonesWithRevision(meta, REVISION)
  return { everyones: Number(row?.everyones ?? 0), revision: row?.revision ?? NEVER }
}

const everyonesWithRevision = prepared((db: Kysely<MetaTables>) =>
  db.selectNoFrom([countIn(forEveryone(db, {})).as('everyones'), revisionIn(db).as('revision')]),
)

function revisionIn(db: Kysely<MetaTables>) {
  return db.selectFrom('instance').select('value').where('name', '=', REVISION)
}

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
    .select([joined('visible.id').as('ids'), revisionIn(meta).as('revision')])
    .executeTakeFirstOrThrow()
  return { ids: split(row.ids), revision: row.revision ?? NEVER }
}

/** Grows whenever somebody's list may have changed. */
export async function revision(meta: Meta): Promise<string> {
  const [row] = await revisionByName(meta, REVISION)
  return row?.value ?? NEVER
}

const revisionByName = prepared(revisionIn)

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

export function targetedAt(meta: Meta, userId: string) {
  return meta
    .selectFrom('notifications')
    .select(['id', 'type', 'title', 'content', 'created_at'])
    .where('target_user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}
