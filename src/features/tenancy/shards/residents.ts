import { type Compilable, type Kysely, sql } from 'kysely'
import type { Decision, Query, Rows } from '../../../database/decision.ts'
import { batchBehind, decideBehind, type Guard } from '../../../database/guard.ts'
import { prepared } from '../../../database/prepared.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { integer } from '../../../database/sql/integer.ts'
import { type Shard, StoreUnavailable } from '../../../database/store.ts'

/**
 * Every write of a user to a shard goes through here: the first statement locks the user's row and fails
 * unless it is open, so nothing is written while the user is moved or erased.
 */
export function writeAs(shard: Shard, userId: string, statements: readonly Compilable<unknown>[]) {
  return batchBehind(shard, whileOpen(shard, userId), statements)
}

/** The same for a write that depends on what the user has there. */
export function decideAs<const Queries extends readonly Query[], T>(
  shard: Shard,
  userId: string,
  first: Queries,
  work: (decision: Decision, ...rows: Rows<Queries>) => Promise<T>,
): Promise<T> {
  return decideBehind(shard, whileOpen(shard, userId), first, work)
}

function whileOpen(shard: Shard, userId: string): Guard {
  return {
    statement: countWrite(shard, { userId }),
    table: 'residents',
    column: 'writes',
    refused: (cause) => new StoreUnavailable(shard.name, { cause }),
  }
}

export interface Eraser {
  readonly userId: string
  /** No attempt to move the user up to this one writes here any more. */
  readonly attempt: number
}

/** For the erasure of the user's rows, which has locked this one: the user writes nothing more here. */
export function writeAsEraser(
  shard: Shard,
  { userId, attempt }: Eraser,
  state: 'held' | 'gone',
  statements: readonly Compilable<unknown>[],
) {
  const close = shard
    .insertInto('residents')
    .values({ user_id: userId, state, writes: 1, attempt })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        state,
        attempt: sql<number>`case when residents.attempt < ${attempt} then ${integer(attempt)} else residents.attempt end`,
      }),
    )
  return shard.batch([close, ...statements])
}

/**
 * The user is unique here: the conflict locks the row until the batch ends, and the state is checked again after a
 * wait.
 */
const countWrite = prepared({ userId: '' }, (db: Kysely<ShardTables>, { userId }) =>
  db
    .insertInto('residents')
    .values({ user_id: userId, state: 'open', writes: 1, attempt: 0 })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        writes: sql<number>`case residents.state when 'open' then residents.writes + 1 end`,
      }),
    ),
)
