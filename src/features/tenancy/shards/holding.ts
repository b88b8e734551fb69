import { type Compilable, sql } from 'kysely'
import { batchBehind, type Guard } from '../../../database/guard.ts'
import type { ResidentState } from '../../../database/schema/shards.ts'
import type { Shard } from '../../../database/store.ts'
import { OperatorError } from '../../../rules/operator-error.ts'

/** Another process has taken this move over, or the user is gone. */
export class MoveTakenOver extends OperatorError {
  constructor(userId: string, options?: ErrorOptions) {
    super(`the move of ${userId} was taken over by another process`, options)
  }
}

/** Writes of an attempt to move a user into a shard. Fails if a newer attempt has written there. */
export function writeAsMover(
  shard: Shard,
  { userId }: MoveAttempt,
  statement: ReturnType<typeof holdResident | typeof fenceArriving | typeof keepArriving | typeof markGone>,
  statements: readonly Compilable<unknown>[],
) {
  const whileOurs: Guard = {
    statement,
    table: 'residents',
    column: 'writes',
    refused: (cause) => new MoveTakenOver(userId, { cause }),
  }
  return batchBehind(shard, whileOurs, statements)
}

interface MoveAttempt {
  readonly userId: string
  readonly attempt: number
}

/**
 * Closed to everyone but this attempt: `held` in the shard that the user leaves, `arriving` in the shard that gets
 * the copy. The user is unique here: the conflict locks the row, and the newest attempt is checked again after a
 * wait.
 */
export function holdResident(shard: Shard, { userId, attempt }: MoveAttempt, state: 'held' | 'arriving') {
  return shard
    .insertInto('residents')
    .values({ user_id: userId, state, writes: 1, attempt })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        state,
        attempt,
        writes: sql<number>`case when residents.attempt <= ${attempt} then residents.writes + 1 end`,
      }),
    )
}

/**
 * No earlier attempt opens the copy after this. Fails if one has: the user is unique here, so the conflict locks the
 * row, and its state is checked again after a wait.
 */
export function fenceArriving(shard: Shard, { userId, attempt }: MoveAttempt) {
  return shard
    .insertInto('residents')
    .values({ user_id: userId, state: 'arriving', writes: 1, attempt })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        state: 'arriving',
        attempt,
        writes: sql<number>`case when residents.state <> 'open' and residents.attempt <= ${attempt}
          then residents.writes + 1 end`,
      }),
    )
}

export function keepArriving(shard: Shard, { userId, attempt }: MoveAttempt) {
  return shard
    .updateTable('residents')
    .set({ writes: sql<number>`case when state = 'arriving' and attempt = ${attempt} then writes + 1 end` })
    .where('user_id', '=', userId)
}

/** The user's home is elsewhere from now on. */
export function markGone(shard: Shard, { userId, attempt }: MoveAttempt) {
  return shard
    .updateTable('residents')
    .set({
      state: 'gone',
      attempt,
      writes: sql<number>`case when attempt <= ${attempt} then writes + 1 end`,
    })
    .where('user_id', '=', userId)
}

/** The user's home is here from now on, unless the user was erased in the meantime. */
export async function moveIn(shard: Shard, { userId, attempt }: MoveAttempt): Promise<void> {
  const rows = await shard
    .updateTable('residents')
    .set({
      state: sql<ResidentState>`case state when 'arriving' then 'open' else state end`,
      attempt,
    })
    .where('user_id', '=', userId)
    .where('attempt', '<=', attempt)
    .returning('state')
    .execute()
  if (rows.length === 0) throw new MoveTakenOver(userId)
}

export async function findResident(shard: Shard, userId: string) {
  return shard.primary.selectFrom('residents').selectAll().where('user_id', '=', userId).executeTakeFirst()
}
