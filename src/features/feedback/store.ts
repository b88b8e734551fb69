import type { Kysely } from 'kysely'
import { contains, createdWithin, equals } from '../../database/conditions.ts'
import { preparedForIds } from '../../database/prepared.ts'
import { preparedBatch } from '../../database/prepared-batch.ts'
import type { FeedbackCountsTable, FeedbacksTable, ShardTables } from '../../database/schema.ts'
import type { Shard } from '../../database/store.ts'
import { claim } from '../shards/residents.ts'
import { countsAt } from './counts.ts'
import { addToCounts, counter, countOf } from './counts-store.ts'
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

/** What an administrator sees of a shard: not the users whose rows there are a copy. */
export interface View {
  readonly shard: Shard
  readonly hidden: readonly string[]
}

export interface Submission extends Pick<FeedbacksTable, 'id' | 'user_id' | 'type' | 'content'> {
  readonly slot: number
  readonly now: number
}

/** For `writingAs`. */
export const submit = preparedBatch(
  (db: Kysely<ShardTables>, { id, user_id, type, content, slot, now }: Submission) => {
    const row = {
      id,
      user_id,
      type,
      content,
      status: 'new',
      note: '',
      created_at: now,
      updated_at: now,
    } as const
    return [
      claim(db, user_id),
      addToCounts(db, countsAt(slot, { user_id, type })),
      db.insertInto('feedbacks').values(row),
    ] as const
  },
)

/** The counter that answers for this filter, less what is hidden; one statement, since copies grow. */
export async function countSeen(
  { shard, hidden }: View,
  kind: FeedbackCountsTable['kind'],
  value: string,
  filter: FeedbackFilter,
): Promise<number> {
  if (hidden.length === 0) return countOf(shard, kind, value)
  const unseen = matching({ shard, hidden: [] }, filter)
    .where('user_id', 'in', hidden)
    .select((eb) => eb.fn.countAll<number>().as('count'))
  const row = await counter(shard, kind, value).select(unseen.as('unseen')).executeTakeFirstOrThrow()
  return Number(row.feedbacks) - Number(row.unseen)
}

export async function countMatching(view: View, filter: FeedbackFilter): Promise<number> {
  const { count } = await matching(view, filter)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Newest first, those after `after` in that order. */
export function keys(
  view: View,
  filter: FeedbackFilter,
  after: Key | undefined,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly Key[]> {
  return matching(view, filter)
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

/** At most a page of them. */
export const byIds = preparedForIds((db: Kysely<ShardTables>, ids) =>
  db.selectFrom('feedbacks').selectAll().where('id', 'in', ids),
)

function matching({ shard, hidden }: View, filter: FeedbackFilter) {
  return shard
    .selectFrom('feedbacks')
    .where((eb) =>
      eb.and([
        ...equals('user_id', filter.user_id),
        ...equals('type', filter.type),
        ...equals('status', filter.status),
        ...contains('content', filter.search),
        ...createdWithin(filter),
        ...(hidden.length > 0 ? [eb('user_id', 'not in', hidden)] : []),
      ]),
    )
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

export function allOf(shard: Shard, userId: string) {
  return shard
    .selectFrom('feedbacks')
    .select(['id', 'type', 'content', 'status', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
}
