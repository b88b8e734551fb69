import { type Compilable, type Kysely, sql } from 'kysely'
import type { ResidentState, ShardTables } from '../../database/schema.ts'
import { ConstraintViolation, type Shard, StoreUnavailable } from '../../database/store.ts'

/**
 * Everything a user writes into a shard goes through here: the first statement locks the user's row
 * and fails unless it is open, so nothing slips in while the user is moved or erased.
 */
export async function writeAs<const Statements extends readonly Compilable<unknown>[]>(
  shard: Shard,
  userId: string,
  statements: Statements,
) {
  const [, ...results] = await writingAs(shard, () => shard.batch([claim(shard, userId), ...statements]))
  return results
}

/** The same for a batch that is compiled once, and begins with the claim. */
export async function writingAs<T>(shard: Shard, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!isClosed(error)) throw error
    throw new StoreUnavailable(shard.name, { cause: error })
  }
}

/** From here on nothing more is written for this user; comes first in the batch that erases the rows. */
export function closeResident(shard: Shard, userId: string, state: Exclude<ResidentState, 'open'>) {
  return shard
    .insertInto('residents')
    .values({ user_id: userId, state, writes: 1, attempt: 0 })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ state }))
}

/** A row that is not open makes `writes` null, which the column refuses: the batch fails as one. */
export function claim(db: Kysely<ShardTables>, userId: string) {
  return db
    .insertInto('residents')
    .values({ user_id: userId, state: 'open', writes: 1, attempt: 0 })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        writes: sql<number>`case residents.state when 'open' then residents.writes + 1 end`,
      }),
    )
}

/** The user's row refused: it is not open, or not ours. */
export function isClosed(error: unknown): boolean {
  return error instanceof ConstraintViolation && error.kind === 'other'
}
