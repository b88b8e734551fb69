import { type Kysely, sql } from 'kysely'
import { v4 as newId } from 'uuid'
import * as instance from '../../../database/instance.ts'
import { prepared } from '../../../database/prepared.ts'
import type { ShardState, ShardsTable } from '../../../database/schema/shards.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { isShared, lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta, Shard } from '../../../database/store.ts'

export function active(meta: Meta) {
  return meta.primary
    .selectFrom('shards')
    .select(['id', 'region'])
    .where('state', '=', 'active')
    .orderBy('id')
    .execute()
}

/**
 * Includes the first of its users; null if nobody lives there. Without an order, PostgreSQL can read every assignment.
 */
export function allWithAUser({ primary }: Meta) {
  return primary
    .selectFrom('shards')
    .select(({ selectFrom }) => [
      'shards.id',
      selectFrom('user_shards')
        .select('user_shards.user_id')
        .whereRef('user_shards.shard_id', '=', 'shards.id')
        .orderBy('user_shards.user_id')
        .limit(1)
        .as('user_id'),
    ])
    .execute()
}

export function anyResident({ primary }: Shard) {
  return primary.selectFrom('residents').select('user_id').limit(1).executeTakeFirst()
}

/** Undefined for an embedded shard. */
export async function databaseBytes({ primary }: Shard): Promise<number | undefined> {
  if (!isShared(primary)) return undefined
  const bytes = sql<number>`pg_database_size(current_database())`.as('bytes')
  return (await primary.selectNoFrom([bytes]).executeTakeFirst())?.bytes
}

/** How many users are being moved, by both ends of their moves. */
export function movesByEnds({ primary }: Meta) {
  return primary
    .selectFrom('shard_moves')
    .select(['from_shard', 'to_shard', (eb) => eb.fn.countAll<number>().as('users')])
    .groupBy(['from_shard', 'to_shard'])
    .execute()
}

/** In order, so that two of these never deadlock. */
export function lockAll(meta: Meta) {
  return meta.selectFrom('shards').select(['id', 'region', 'state']).orderBy('id').$call(lockRows(meta))
}

export function setState(meta: Meta, id: string, state: ShardState) {
  return meta.updateTable('shards').set({ state }).where('id', '=', id)
}

/** Does nothing if there are shards already. */
export async function insertFirstShards(meta: Meta, rows: readonly ShardsTable[]): Promise<void> {
  const { shards } = await meta.primary
    .selectFrom('shards')
    .select((eb) => eb.fn.countAll<number>().as('shards'))
    .executeTakeFirstOrThrow()
  if (shards === 0) await meta.batch(rows.map((row) => insertIfNew(meta, row)))
}

/** No row if the shard, which is unique, is in use already. */
export function insertIfNew(meta: Meta, row: ShardsTable) {
  return meta
    .insertInto('shards')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
}

/** Includes each user's shard at this moment; null for a user who was deleted during the move. */
export function movesWithHomes(meta: Meta) {
  return everyMove(meta, {})
}

const everyMove = prepared({}, (db: Kysely<MetaTables>) =>
  db
    .selectFrom('shard_moves as move')
    .leftJoin('user_shards', 'user_shards.user_id', 'move.user_id')
    .select(['move.user_id', 'move.from_shard', 'move.to_shard', 'move.attempt', 'shard_id as home'])
    .orderBy('move.user_id'),
)

const MOMENT = 'moves_moment'

export function moment(meta: Meta) {
  return keptMoment(meta, {})
}

const keptMoment = prepared({}, (db: Kysely<MetaTables>) => instance.kept(db, MOMENT))

/** Goes into each commit that changes the shard in which a user's rows are read. */
export function renewMoment(meta: Meta) {
  return instance.replaceKept(meta, MOMENT, newId())
}
