import { type Kysely, sql } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import { rowCount } from '../../../database/row-counts.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { among, type Condition, createdWithin, equals } from '../../../database/sql/conditions.ts'
import { joined, split } from '../../../database/sql/joined.ts'
import type { Meta } from '../../../database/store.ts'
import type { Page, Slice } from '../../../rules/paging.ts'
import type { ListNotifications } from './input.ts'

const SHOWN = ['id', 'type', 'title', 'content', 'kind', 'data', 'link', 'level', 'created_at'] as const

export type VisibleFilter = Omit<ListNotifications, 'read' | keyof Page>

/** One statement, so that the total and the rows are of one moment. */
export async function visiblePage(meta: Meta, userId: string, filter: VisibleFilter, slice: Slice) {
  const rows = isUnfiltered(filter)
    ? await meta.run(unfilteredPage(meta, { userId, ...slice }))
    : await visibleWithTotal(meta, userId, filter, slice).execute()
  return { total: rows[0]?.total ?? 0, rows: rows.flatMap(rowOf) }
}

export type Row = ReturnType<typeof rowOf>[number]

/** Past the last page there is a single row, with only the total. */
function rowOf({ id, type, title, content, kind, data, link, level, created_at }: PageRow) {
  const isRow = id !== null && type !== null && title !== null && content !== null
  if (!isRow || level === null || created_at === null) return []
  return [{ id, type, title, content, kind, data, link, level, created_at }]
}

type PageRow = Awaited<ReturnType<ReturnType<typeof visibleWithTotal>['execute']>>[number]

/** The query of most callers, compiled once. */
const unfilteredPage = prepared({ userId: '', offset: 0, limit: 0 }, (db: Kysely<MetaTables>, { userId, ...slice }) =>
  visibleWithTotal(db, userId, {}, slice),
)

function isUnfiltered(filter: VisibleFilter): boolean {
  return Object.values(filter).every((value) => value === undefined)
}

function visibleWithTotal(db: Kysely<MetaTables>, userId: string, filter: VisibleFilter, slice: Slice) {
  const forAll = isUnfiltered(filter) ? rowCount(db, 'notification') : countIn(forEveryone(db, filter))
  const total = sql<number>`${forAll} + ${countIn(targetedOnly(db, userId, filter))}`
  return db
    .selectFrom(db.selectNoFrom(total.as('total')).as('counted'))
    .leftJoin(pageQuery(db, userId, filter, slice).as('page'), (join) => join.onTrue())
    .select(['counted.total', 'page.id', 'page.type', 'page.title', 'page.content'])
    .select(['page.kind', 'page.data', 'page.link', 'page.level', 'page.created_at'])
    .orderBy('page.created_at', 'desc')
    .orderBy('page.id', 'desc')
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

function countIn(query: ReturnType<typeof forEveryone>) {
  return query.select((eb) => eb.fn.countAll<number>().as('count'))
}

/** Newest first; one text is several times faster to fetch than as many rows. */
export async function visibleIds(meta: Meta, userId: string, filter: VisibleFilter): Promise<readonly string[]> {
  const [row] = isUnfiltered(filter)
    ? await meta.run(unfilteredIds(meta, { userId }))
    : await joinedIds(meta, userId, filter).execute()
  return split(row?.ids ?? null)
}

const unfilteredIds = prepared({ userId: '' }, (db: Kysely<MetaTables>, { userId }) => joinedIds(db, userId, {}))

function joinedIds(db: Kysely<MetaTables>, userId: string, filter: VisibleFilter) {
  const keys = ['id', 'created_at'] as const
  return db
    .selectFrom(
      forEveryone(db, filter)
        .select(keys)
        .unionAll(targetedOnly(db, userId, filter).select(keys))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .as('visible'),
    )
    .select(joined('visible.id').as('ids'))
}

/** At most a page of them. */
export function byIds(meta: Meta, ids: readonly string[]) {
  return meta.selectFrom('notifications').select(SHOWN).where(among('id', ids)).execute()
}

// Two queries rather than one with `or`: each follows an index in order, and the engine merges them.

function forEveryone(db: Kysely<MetaTables>, filter: VisibleFilter) {
  return unarchived(db, filter).where('target_user_id', 'is', null)
}

function targetedOnly(db: Kysely<MetaTables>, userId: string, filter: VisibleFilter) {
  return unarchived(db, filter).where('target_user_id', '=', userId)
}

function unarchived(db: Kysely<MetaTables>, filter: VisibleFilter) {
  return db
    .selectFrom('notifications')
    .where('archived_at', 'is', null)
    .where((eb) => eb.and([...conditions(filter)]))
}

export function conditions(filter: VisibleFilter): readonly Condition[] {
  return [...equals('type', filter.type), ...createdWithin(filter)]
}
