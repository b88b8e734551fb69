import { type Kysely, type SqlBool, sql } from 'kysely'
import { prepared, preparedAll } from '../../../database/prepared.ts'
import type { FeedbackCountsTable, FeedbacksTable } from '../../../database/schema/operations.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { anywhere, type Condition, createdWithin, equals } from '../../../database/sql/conditions.ts'
import { isShared } from '../../../database/sql/row-lock.ts'
import type { Shard } from '../../../database/store.ts'
import { foldedWords } from '../../../rules/folded.ts'
import { directionOf, type Order, type Page, type Slice } from '../../../rules/paging.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { insertIntoOutbox } from '../../ground/events/outbox-statements.ts'
import { addToCountsWithin, countStoredBytes, countsAt, MOST_FEEDBACK_BYTES } from './counts-store.ts'
import type { ListFeedbacks, UpdateFeedback } from './input.ts'
import { feedbackCounter, OWN } from './statements.ts'

export type FeedbackFilter = Omit<ListFeedbacks, keyof Page>

/** The sort key of rows; `id` makes the order total. */
export interface Key {
  readonly id: string
  readonly created_at: number
}

/** The administrator's view of a shard: without users whose rows here are only a copy. */
export interface ListedShard {
  readonly shard: Shard
  readonly hidden: readonly string[]
}

type RowsOf = Pick<ListedShard, 'hidden'> & { readonly shard: Kysely<ShardTables> }

const SENT = {
  id: '',
  user_id: '',
  type: '',
  content: '',
  folded_content: null as string | null,
  context: '',
}
/** The event is for the outbox. */
const EXAMPLE = { ...SENT, slot: 0, bytes: 0, now: 0, event_id: '', event: '' }

export const submit = preparedAll(EXAMPLE, (db: Kysely<ShardTables>, submission) => {
  const { slot, bytes, now, event_id, event, ...sent } = submission
  const untouched = { status: 'new', note: '', reply: '', replied_at: null, handled_by: null } as const
  return [
    countStoredBytes(db, sent.user_id),
    addToCountsWithin(MOST_FEEDBACK_BYTES, db, countsAt(slot, { ...sent, bytes })),
    db.insertInto('feedbacks').values({ ...sent, ...untouched, created_at: now, updated_at: now }),
    insertIntoOutbox(db, { id: event_id, created_at: now, row: event }),
  ] as const
})

export type FeedbackRow = Omit<FeedbacksTable, 'folded_content'>

/** The filter's counter, less the hidden rows. One statement, because a copy can grow meanwhile. */
export function countSeen(
  { shard, hidden }: ListedShard,
  kind: FeedbackCountsTable['kind'],
  value: string,
  filter: FeedbackFilter,
) {
  if (hidden.length === 0) return counted(shard, { kind, value })
  const unseen = matching({ shard, hidden: [] }, filter)
    .where('user_id', 'in', hidden)
    .select((eb) => eb.fn.countAll<number>().as('count'))
  return shard
    .selectFrom(feedbackCounter(shard, kind, value).as('counted'))
    .select(sql<number>`feedbacks - ${unseen}`.as('count'))
}

const COUNTER: Pick<FeedbackCountsTable, 'kind' | 'value'> = { kind: 'all', value: '' }

const counted = prepared(COUNTER, (db: Kysely<ShardTables>, { kind, value }) =>
  db.selectFrom(feedbackCounter(db, kind, value).as('counted')).select('feedbacks as count'),
)

export function countMatching(view: ListedShard, filter: FeedbackFilter) {
  return matching(view, filter).select((eb) => eb.fn.countAll<number>().as('count'))
}

/** The rows after `after`, in the filter's order. */
export function keys(view: ListedShard, filter: FeedbackFilter, after: Key | undefined, limit: number) {
  const isFirstOfAll = after === undefined && view.hidden.length === 0 && isUnfiltered(filter)
  return isFirstOfAll
    ? firstOfAll[filter.order](view.shard, { limit })
    : ordered(view, filter, after).select(KEY).limit(limit)
}

/** The query of a list without filters, compiled once. */
const firstOfAll = { newest: firstInOrder('newest'), oldest: firstInOrder('oldest') }

function firstInOrder(order: Order) {
  return prepared({ limit: 0 }, (db: Kysely<ShardTables>, { limit }) =>
    ordered({ shard: db, hidden: [] }, { order }, undefined).select(KEY).limit(limit),
  )
}

function isUnfiltered({ order: _, ...filter }: FeedbackFilter): boolean {
  return Object.values(filter).every((value) => value === undefined)
}

export function rowsWith(shard: Kysely<ShardTables>, ids: readonly string[]) {
  return shard.selectFrom('feedbacks').select(SHOWN).where('id', 'in', ids)
}

export function keyAfter(view: ListedShard, filter: FeedbackFilter, after: Key | undefined, steps: number) {
  return ordered(view, filter, after)
    .select(KEY)
    .offset(steps - 1)
    .limit(1)
}

function ordered(view: RowsOf, filter: FeedbackFilter, after: Key | undefined) {
  const direction = directionOf(filter.order)
  return matching(view, filter)
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple('created_at', 'id'),
          direction === 'desc' ? '<' : '>',
          eb.tuple(after?.created_at ?? 0, after?.id ?? ''),
        ),
      ),
    )
    .orderBy('created_at', direction)
    .orderBy('id', direction)
}

function matching({ shard, hidden }: RowsOf, filter: FeedbackFilter) {
  return shard
    .selectFrom('feedbacks')
    .where((eb) =>
      eb.and([
        ...equals('user_id', filter.user_id),
        ...equals('type', filter.type),
        ...equals('status', filter.status),
        ...foundBy(shard, filter.search),
        ...createdWithin(filter),
        ...(hidden.length > 0 ? [eb('user_id', 'not in', hidden)] : []),
      ]),
    )
}

/** Each word is part of the content. SQLite’s `like` ignores the case of Latin letters by itself. */
function foundBy(shard: Kysely<ShardTables>, search = ''): readonly Condition[] {
  const plain = isShared(shard) ? sql`lower(content collate "C")` : sql`content`
  const text = sql`coalesce(folded_content, ${plain})`
  return foldedWords(search).map((word) => sql<SqlBool>`${text} like ${anywhere(word)} escape '\\'`)
}

export type Changes = Pick<UpdateFeedback, 'status' | 'note'> &
  Pick<FeedbacksTable, 'handled_by'> &
  Partial<Pick<FeedbacksTable, 'reply' | 'replied_at'>>

export function update(shard: Shard, userId: string, id: string, changes: Changes, now: number) {
  return shard
    .updateTable('feedbacks')
    .set({ ...changes, updated_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(SHOWN)
}

const KEY = ['id', 'created_at'] as const

const SHOWN = [
  ...['id', 'user_id', 'type', 'content', 'status', 'note'],
  ...['context', 'reply', 'replied_at', 'handled_by', 'created_at', 'updated_at'],
] as const

/** Newest first. */
export function newestKeysOf(shard: Shard, userId: string, { offset, limit }: Slice) {
  return shard
    .selectFrom('feedbacks')
    .select(KEY)
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
}

export function ownWith(shard: Shard, userId: string, ids: readonly string[]) {
  return shard.selectFrom('feedbacks').select(OWN).where('user_id', '=', userId).where('id', 'in', ids)
}

export function byDay(shard: Shard, since: number) {
  const day = sql<number>`created_at / ${sql.lit(DAY_MILLISECONDS)}`
  return shard
    .selectFrom('feedbacks')
    .select([day.as('day'), sql<number>`count(*)`.as('count')])
    .where('created_at', '>=', since)
    .groupBy(day)
}
