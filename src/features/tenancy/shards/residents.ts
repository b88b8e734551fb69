import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { BatchRows } from '../../../database/batch-rows.ts'
import type { Decision, Query, Rows } from '../../../database/decision.ts'
import { prepared } from '../../../database/prepared.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import { integer } from '../../../database/sql/integer.ts'
import { ConstraintViolation, type Shard, StoreUnavailable } from '../../../database/store.ts'
import { decideInShard, type Recorder, type ShardAct } from '../../ground/acts/acts.ts'

/**
 * Every write of a user to a shard goes through here: the user's row is locked first and has to be open, so nothing is
 * written while the user is moved or erased.
 */
export function decideAs<const Queries extends readonly Query[], T>(
  recorder: Recorder,
  shard: Shard,
  userId: string,
  first: Queries,
  work: (act: ShardAct, ...rows: Rows<Queries>) => Promise<T>,
): Promise<T> {
  return decideInShard(recorder, shard, [countWrite(shard, { userId }), ...first], async (act, [resident], ...rows) => {
    if (resident?.state !== 'open') throw new StoreUnavailable(shard.name)
    return work(act, ...(rows as unknown as Rows<Queries>))
  })
}

/**
 * The same for an act so frequent that it stays one batch: `docs/decisions.md` says what a decision would cost. The
 * column refuses null, so the batch fails unless the user's row is open.
 */
export async function writeAs(shard: Shard, userId: string, ...statements: readonly Query[]): Promise<BatchRows> {
  try {
    const wanted = statements.filter((statement) => statement !== undefined)
    return await shard.batch([countOpenWrite(shard, { userId }), ...wanted])
  } catch (error) {
    const isClosed = error instanceof ConstraintViolation && error.table === 'residents' && error.column === 'writes'
    throw isClosed ? new StoreUnavailable(shard.name, { cause: error }) : error
  }
}

export interface Eraser {
  readonly userId: string
  /** No attempt to move the user up to this one writes here any more. */
  readonly attempt: number
}

/** Erases the user's rows after locking this one, so that the user writes nothing more here. */
export function decideAsEraser<T>(
  shard: Shard,
  { userId, attempt }: Eraser,
  state: 'held' | 'gone',
  work: (decision: Decision) => Promise<T>,
): Promise<T> {
  const close = shard
    .insertInto('residents')
    .values({ user_id: userId, state, writes: 1, attempt })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        state,
        attempt: sql<number>`case when residents.attempt < ${attempt} then ${integer(attempt)} else residents.attempt end`,
      }),
    )
  return shard.decide([close], work)
}

/** The user is unique here: the conflict locks the row, and its state is read after a wait. */
const countWrite = prepared({ userId: '' }, (db: Kysely<ShardTables>, { userId }) =>
  countedWrite(db, userId, sql<number>`residents.writes + 1`).returning('state'),
)

const countOpenWrite = prepared({ userId: '' }, (db: Kysely<ShardTables>, { userId }) =>
  countedWrite(db, userId, sql<number>`case when residents.state = 'open' then residents.writes + 1 end`),
)

function countedWrite(db: Kysely<ShardTables>, userId: string, writes: RawBuilder<number>) {
  return db
    .insertInto('residents')
    .values({ user_id: userId, state: 'open', writes: 1, attempt: 0 })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ writes }))
}
