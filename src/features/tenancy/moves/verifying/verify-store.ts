import { sql } from 'kysely'
import type { Meta, Shard } from '../../../../database/store.ts'
import type { Belonging } from '../../shards/belongings.ts'
import { assignedMoves, assignedShard, movesUnderWayOf } from '../../shards/move-statements.ts'

/** The users with rows in this table, in the order of their ids, after `after`. */
export async function ownersIn(
  shard: Shard,
  table: Belonging['table'] | 'residents',
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

interface Whereabouts {
  readonly home: string | null
  readonly moves: number | null
  readonly isOnTheWay: boolean
}

/** The user's shard according to the global store, in one statement; `isOnTheWay` during a move or an erasure. */
export async function whereaboutsOf(meta: Meta, userId: string): Promise<Whereabouts> {
  const { home, moves, begun } = await meta.primary
    .selectNoFrom([
      assignedShard(userId).as('home'),
      assignedMoves(userId).as('moves'),
      sql<number>`${movesUnderWayOf(userId)}
        + (select count(*) from erasure where user_id = ${userId} and done_at is null)`.as('begun'),
    ])
    .executeTakeFirstOrThrow()
  return { home, moves, isOnTheWay: begun > 0 }
}
