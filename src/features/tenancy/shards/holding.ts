import { sql } from 'kysely'
import type { Decision } from '../../../database/decision.ts'
import type { ResidentState, ResidentsTable } from '../../../database/schema/shards.ts'
import type { Shard } from '../../../database/store.ts'
import { OperatorError } from '../../../rules/operator-error.ts'

/** Another process has taken this move over, or the user is gone. */
export class MoveTakenOver extends OperatorError {
  constructor(userId: string, options?: ErrorOptions) {
    super(`the move of ${userId} was taken over by another process`, options)
  }
}

interface MoveAttempt {
  readonly userId: string
  readonly attempt: number
}

type Held = Pick<ResidentsTable, 'state' | 'attempt'>

interface Step {
  readonly to: ResidentState
  readonly isOurs: (resident: Held, attempt: number) => boolean
}

const isNotLater = (resident: Held, attempt: number) => resident.attempt <= attempt

/** The state that each step of a move gives the user's row in a shard, and the state that it must find there. */
const STEPS = {
  /** In the shard that the user leaves: closed to everyone but this attempt. */
  hold: { to: 'held', isOurs: isNotLater },
  /** The same in the shard that gets the copy. */
  receive: { to: 'arriving', isOurs: isNotLater },
  /** From now on no earlier attempt opens the copy. */
  fence: { to: 'arriving', isOurs: (resident, attempt) => resident.state !== 'open' && isNotLater(resident, attempt) },
  copy: {
    to: 'arriving',
    isOurs: (resident, attempt) => resident.state === 'arriving' && resident.attempt === attempt,
  },
  /** The user's home is elsewhere from now on. */
  leave: { to: 'gone', isOurs: isNotLater },
} as const satisfies Readonly<Record<string, Step>>

/** What an attempt to move a user does in a shard. Fails if a newer attempt has been there. */
export function decideAsMover<T>(
  shard: Shard,
  { userId, attempt }: MoveAttempt,
  step: keyof typeof STEPS,
  work: (decision: Decision) => Promise<T>,
): Promise<T> {
  const { to, isOurs }: Step = STEPS[step]
  return shard.decide([lockedResident(shard, userId, to, attempt)], async (decision, [resident]) => {
    if (!resident || !isOurs(resident, attempt)) throw new MoveTakenOver(userId)
    decision.write(shard.updateTable('residents').set({ state: to, attempt }).where('user_id', '=', userId))
    return work(decision)
  })
}

/** A step that touches no rows of the user. */
export function stepOfMove(shard: Shard, attempt: MoveAttempt, step: keyof typeof STEPS): Promise<void> {
  return decideAsMover(shard, attempt, step, async () => undefined)
}

/** The row as it was, or a new one. The user is unique here: the conflict locks the row, which is read after a wait. */
function lockedResident(shard: Shard, userId: string, state: ResidentState, attempt: number) {
  return shard
    .insertInto('residents')
    .values({ user_id: userId, state, writes: 1, attempt })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ writes: sql<number>`residents.writes + 1` }))
    .returning(['state', 'attempt'])
}

/** The user's home is here from now on, unless the user was erased in the meantime. */
export async function moveIn(shard: Shard, { userId, attempt }: MoveAttempt): Promise<void> {
  const rows = await shard
    .updateTable('residents')
    .set({
      state: sql<ResidentState>`case when state = 'arriving' then 'open' else state end`,
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
