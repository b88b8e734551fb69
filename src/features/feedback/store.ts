import { type ExpressionBuilder, sql } from 'kysely'
import type { Shard } from '../../platform/store.ts'
import type { FeedbackCountsTable, FeedbacksTable, ShardTables } from '../../store/schema.ts'
import type { UpdateFeedback } from './input.ts'

export interface FeedbackFilter {
  readonly user_id?: string | undefined
  readonly type?: string | undefined
  readonly status?: FeedbacksTable['status'] | undefined
  readonly search?: string | undefined
  readonly created_at_start?: number | undefined
  readonly created_at_end?: number | undefined
}

/** What rows are ordered by; `id` makes the order total. */
export interface Key {
  readonly id: string
  readonly created_at: number
}

export function insert(shard: Shard, row: FeedbacksTable) {
  return shard.insertInto('feedbacks').values(row)
}

export function addToCounts(shard: Shard, counts: readonly FeedbackCountsTable[]) {
  return shard
    .insertInto('feedback_counts')
    .values(counts)
    .onConflict((conflict) =>
      conflict.columns(['kind', 'value', 'slot']).doUpdateSet((eb) => ({
        feedbacks: eb('feedback_counts.feedbacks', '+', eb.ref('excluded.feedbacks')),
      })),
    )
}

export async function countOf(
  shard: Shard,
  kind: FeedbackCountsTable['kind'],
  value: string,
): Promise<number> {
  const { feedbacks } = await shard
    .selectFrom('feedback_counts')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('feedbacks'), sql<number>`0`).as('feedbacks'))
    .where('kind', '=', kind)
    .where('value', '=', value)
    .executeTakeFirstOrThrow()
  return Number(feedbacks)
}

export async function countMatching(shard: Shard, filter: FeedbackFilter): Promise<number> {
  const { count } = await matching(shard, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Newest first, those after `after` in that order. */
export function keys(
  shard: Shard,
  filter: FeedbackFilter,
  after: Key | undefined,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly Key[]> {
  return matching(shard, filter)
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(after?.created_at ?? 0, after?.id ?? '')),
      ),
    )
    .select(['id', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
}

export function byIds(shard: Shard, ids: readonly string[]) {
  return shard.selectFrom('feedbacks').selectAll().where('id', 'in', ids).execute()
}

function matching(shard: Shard, filter: FeedbackFilter) {
  return shard.selectFrom('feedbacks').where((eb) => eb.and(conditions(eb, filter)))
}

function conditions(eb: ExpressionBuilder<ShardTables, 'feedbacks'>, filter: FeedbackFilter) {
  const equal = (['user_id', 'type', 'status'] as const).flatMap((column) => {
    const value = filter[column]
    return value === undefined ? [] : [eb(column, '=', value)]
  })
  return [
    ...equal,
    ...(filter.search === undefined ? [] : [contains(filter.search)]),
    ...(filter.created_at_start === undefined ? [] : [eb('created_at', '>=', filter.created_at_start)]),
    ...(filter.created_at_end === undefined ? [] : [eb('created_at', '<=', filter.created_at_end)]),
  ]
}

function contains(text: string) {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`lower(content) like lower(${pattern}) escape '\\'`
}

export function update(
  shard: Shard,
  userId: string,
  id: string,
  changes: Pick<UpdateFeedback, 'status' | 'note'>,
  now: number,
) {
  return shard
    .updateTable('feedbacks')
    .set({ ...changes, updated_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
}
