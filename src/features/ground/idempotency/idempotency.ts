import type { Query } from '../../../database/decision.ts'
import { ConstraintViolation, type Meta, type Shard } from '../../../database/store.ts'
import { allEnded, type Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import * as store from './store.ts'

/** Returns a statement for the write's commit, so that the response is stored only with it. Undefined without a key. */
type RecordResponse<T> = (response: T) => Query

/**
 * Does a write once for each key of a user, whatever happens to the response: for a day, the same request gets the
 * first response again. Of several at once, one is done and the others wait for its commit.
 */
export async function writeOnce<T>(
  at: Meta | Shard,
  userId: string,
  request: KeyedRequest | undefined,
  now: number,
  write: (record: RecordResponse<T>) => Promise<T>,
): Promise<T> {
  if (!request) return write(() => undefined)
  const expiredBefore = now - DAY_MILLISECONDS
  const first = await store.find(at, userId, request, expiredBefore)
  if (first) return answerOf<T>(first, request)
  try {
    return await write((response) => store.insert(at, userId, request, response, now, expiredBefore))
  } catch (error) {
    if (!isTaken(error)) throw error
    const meanwhile = await store.find(at, userId, request, expiredBefore)
    if (!meanwhile) throw error
    return answerOf<T>(meanwhile, request)
  }
}

/** The response this route returned to this user before. */
function answerOf<T>({ fingerprint, answer }: store.FirstAnswer, request: KeyedRequest): T {
  if (fingerprint === request.fingerprint) return JSON.parse(answer) as T
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used with a different body.')
}

function isTaken(error: unknown): boolean {
  return error instanceof ConstraintViolation && error.table === 'idempotency_keys' && error.column === 'created_at'
}

export function idempotencySweep({ meta, shards, now }: Platform): Job {
  return {
    name: 'idempotency-sweep',
    everySeconds: 3600,
    async run() {
      const time = now() - DAY_MILLISECONDS
      const inShards = [...shards.values()].map((shard) => store.deleteSettledBefore(shard, time))
      await allEnded([store.deleteBefore(meta, time), ...inShards])
    },
  }
}
