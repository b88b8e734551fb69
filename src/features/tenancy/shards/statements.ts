import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { prepared, statement } from '../../../database/prepared.ts'
import type { UserRow } from '../../../database/schema/people/users.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import type { Condition } from '../../../database/sql/conditions.ts'
import { keepRowsUnchanged } from '../../../database/sql/row-lock.ts'
import type { Meta, Shard } from '../../../database/store.ts'

export interface ActiveShard {
  readonly id: string
  readonly region: string
}

/**
 * Locks the shards that a new user can be placed in: draining waits until the commit, so that emptying the shard
 * afterwards finds the user. Locked in order, so that two of these never wait for each other.
 */
export function heldShards(meta: Meta) {
  return held(meta, {})
}

const held = prepared({}, (db: Kysely<MetaTables>) =>
  db
    .selectFrom('shards')
    .select(['id', 'region'])
    .where('state', '=', 'active')
    .orderBy('id')
    .$call(keepRowsUnchanged(db)),
)

/** Goes into the decision that creates the user, after `heldShards`. */
export function insertAssignment(
  meta: Meta,
  { id, created_at }: Pick<UserRow, 'id' | 'created_at'>,
  { shardId, signupReward }: Assignment,
) {
  return insertHome(meta, { user_id: id, shard_id: shardId, signup_reward: signupReward, created_at, moves: 0 })
}

const insertHome = statement((meta: Meta, home: MetaTables['user_shards']) =>
  meta.insertInto('user_shards').values(home),
)

/**
 * Locks the shard as active until the commit: draining waits, so that emptying the shard afterwards finds the user.
 * After a wait for draining the state is checked again.
 */
export function heldShard(meta: Meta, shardId: string) {
  return meta
    .selectFrom('shards')
    .select('shards.id')
    .where('shards.id', '=', shardId)
    .where('shards.state', '=', 'active')
    .$call(keepRowsUnchanged(meta))
}

export interface Assignment {
  readonly shardId: string
  /** Kept here, because the balance can be created later, when the settings have changed. */
  readonly signupReward: number
}

export async function signupRewardOf(meta: Meta, userId: string): Promise<number> {
  const row = await meta.primary
    .selectFrom('user_shards')
    .select('signup_reward')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.signup_reward ?? 0
}

/** A move to another shard happens either before this decision or not at all. */
export function lockAssignment(meta: Meta, userId: string) {
  return meta
    .updateTable('user_shards')
    .set((eb) => ({ moves: eb.ref('moves') }))
    .where('user_id', '=', userId)
}

/** A condition for a list of users; takes no lock. */
export function livesIn(meta: Meta, shardId: string | undefined): readonly Condition[] {
  if (shardId === undefined) return []
  const users = meta.selectFrom('user_shards').select('user_id').where('shard_id', '=', shardId)
  return [sql<SqlBool>`${sql.ref('user.id')} in ${users}`]
}

/** The same, looked up for each user: the others of the shard are not read. */
export function hasHomeIn(meta: Meta, shardId: string | undefined): readonly Condition[] {
  if (shardId === undefined) return []
  const home = meta.selectFrom('user_shards').select('shard_id').whereRef('user_id', '=', sql.ref('user.id'))
  return [sql<SqlBool>`${home} = ${shardId}`]
}

/** A column for another query: the user's shard. */
export function homeColumn(meta: Meta, userId: Expression<string>) {
  const home = meta.selectFrom('user_shards').select('user_shards.shard_id').where('user_shards.user_id', '=', userId)
  return sql<string | null>`${home}`.as('shard_id')
}

/** The shard of each of these users. */
export async function homesOf(meta: Meta, userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (userIds.length === 0) return new Map()
  const rows = await meta.primary
    .selectFrom('user_shards')
    .select(['user_id', 'shard_id'])
    .where('user_id', 'in', userIds)
    .execute()
  return new Map(rows.map(({ user_id, shard_id }) => [user_id, shard_id]))
}

/** A select to insert from: no rows if there is no such user. */
export function assignmentOf(meta: Meta, userId: string) {
  return meta.selectFrom('user_shards').where('user_id', '=', userId)
}

/**
 * A condition: the user's data is being moved into or out of this shard. `userId` is a column of the outer
 * query.
 */
export function unsettled(shard: Shard, userId: string) {
  return shard
    .selectFrom('residents')
    .select('residents.user_id')
    .where('residents.user_id', '=', sql.ref<string>(userId))
    .where('state', '<>', 'open')
}

export function listedShards(meta: Meta) {
  return meta.primary.run(registered(meta.primary, {}))
}

const registered = prepared({}, (db: Kysely<MetaTables>) =>
  db.selectFrom('shards').select(['id', 'region', 'state']).orderBy('id'),
)

/** Reads every assignment, so it must not run for each sign-up. */
export async function usersByShard(meta: Meta): Promise<Map<string, number>> {
  const counts = meta
    .selectFrom('user_shards')
    .select(['shard_id', (eb) => eb.fn.countAll<number>().as('users')])
    .groupBy('shard_id')
  const [rows] = await meta.snapshot([counts], 'primary', 'long')
  return new Map(rows.map(({ shard_id, users }) => [shard_id, users]))
}

export async function shardIdOf(meta: Meta, userId: string): Promise<string | undefined> {
  return (await findHome(meta, userId))?.shard_id
}

/** Includes the number of the newest attempt to move the user. */
export async function findHome({ primary }: Meta, userId: string) {
  const [home] = await primary.run(homeOf(primary, { userId }))
  return home
}

const homeOf = prepared({ userId: '' }, (db: Kysely<MetaTables>, { userId }) =>
  db.selectFrom('user_shards').select(['shard_id', 'moves']).where('user_id', '=', userId),
)
