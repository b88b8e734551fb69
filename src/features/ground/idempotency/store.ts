import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { IdempotencyKeysTable } from '../../../database/schema/instance.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta, Shard } from '../../../database/store.ts'
import type { KeyedRequest } from '../../../rules/idempotency.ts'
import { unsettled } from '../../tenancy/shards/statements.ts'

interface WithKeys {
  idempotency_keys: IdempotencyKeysTable
}

export type FirstAnswer = Pick<IdempotencyKeysTable, 'fingerprint' | 'answer'>

export function find(at: Meta | Shard, userId: string, request: KeyedRequest, expiredBefore: number) {
  return keysIn(at.primary)
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'answer'])
    .where('id', '=', idOf(userId, request))
    .where('created_at', '>', expiredBefore)
    .executeTakeFirst()
}

/**
 * If the key is taken, `created_at` becomes null, which the column refuses, so the whole write fails. The key is
 * unique: the conflict locks the row, and its age is checked again after a wait.
 */
export function insert(
  at: Meta | Shard,
  userId: string,
  request: KeyedRequest,
  answer: unknown,
  now: number,
  expiredBefore: number,
) {
  const { fingerprint } = request
  const row = { fingerprint, answer: JSON.stringify(answer) }
  return keysIn(at)
    .insertInto('idempotency_keys')
    .values({ id: idOf(userId, request), user_id: userId, ...row, created_at: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        ...row,
        created_at: sql<number>`case when idempotency_keys.created_at <= ${expiredBefore}
          then excluded.created_at end`,
      }),
    )
}

export function deleteBefore(meta: Meta, time: number): Promise<void> {
  return sweepRows(keysIn(meta), 'idempotency_keys', 'id', (row) => row('created_at', '<=', time))
}

/**
 * Leaves out users who are being moved: the mover compares its copy with the original. It locks no residents: if a move
 * begins meanwhile and expired keys are deleted during it, the comparison fails and the move is tried again.
 */
export function deleteSettledBefore(shard: Shard, time: number): Promise<void> {
  const isBeingMoved = unsettled(shard, 'idempotency_keys.user_id')
  return sweepRows(shard, 'idempotency_keys', 'id', (row) =>
    row.and([row('created_at', '<=', time), row.not(row.exists(isBeingMoved))]),
  )
}

/** Programs choose keys without knowing of each other, so each has its own. */
function idOf(userId: string, { program, path, key }: KeyedRequest): string {
  const caller = program === undefined ? userId : `${userId}\n${program}`
  return createHash('sha256').update(`${caller}\n${path}\n${key}`).digest('base64url')
}

/** The table is the same in the global store and in a shard. */
function keysIn(at: Kysely<never> | Meta | Shard | Meta['primary'] | Shard['primary']): Kysely<WithKeys> {
  return at as unknown as Kysely<WithKeys>
}
