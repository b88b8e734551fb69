import { sql } from 'kysely'
import type { FeedbackCountsTable, ResidentState } from '../../database/schema.ts'
import type { Meta, Shard } from '../../database/store.ts'
import type { BelongingTable } from './belongings-store.ts'

/** In the order of their ids, after `after`: who has rows in this table. */
export async function ownersIn(
  shard: Shard,
  table: BelongingTable | 'residents',
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await shard.primary
    .selectFrom(table)
    .select('user_id')
    .distinct()
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

export interface Standing {
  readonly home: string | null
  readonly moves: number | null
  readonly isOnTheWay: boolean
}

/** Where the global store sees this user; on the way while moved or erased. */
export async function standingOf(meta: Meta, userId: string): Promise<Standing> {
  const { home, moves, begun } = await meta.primary
    .selectNoFrom([
      sql<string | null>`(select shard_id from user_shards where user_id = ${userId})`.as('home'),
      sql<number | null>`(select moves from user_shards where user_id = ${userId})`.as('moves'),
      sql<number>`(select count(*) from shard_moves where user_id = ${userId})
        + (select count(*) from erasure where user_id = ${userId} and done_at is null)`.as('begun'),
    ])
    .executeTakeFirstOrThrow()
  return { home, moves, isOnTheWay: begun > 0 }
}

export async function residentStateOf(shard: Shard, userId: string): Promise<ResidentState | undefined> {
  const row = await shard.primary
    .selectFrom('residents')
    .select('state')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.state
}

/** One statement, so that both are of one moment. */
export function countersAndRows(shard: Shard, kind: FeedbackCountsTable['kind']) {
  return shard.primary
    .selectNoFrom([
      sql<number>`(select cast(coalesce(sum(feedbacks), 0) as bigint) from feedback_counts where kind = ${kind})`.as(
        'counted',
      ),
      sql<number>`(select count(*) from feedbacks)`.as('rows'),
    ])
    .executeTakeFirstOrThrow()
}
