import type { Config } from '../../../config/config.ts'
import { findKept, keepFirst } from '../../../database/instance.ts'
import { isMigrated } from '../../../database/migrations/migrate.ts'
import { type Meta, type Shard, StoreUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { OperatorError } from '../../../rules/operator-error.ts'
import { recordAct } from '../../ground/acts/acts.ts'
import * as store from './store.ts'

/** The shards in use, and whether users live there. */
export type ShardsInUse = ReadonlyMap<string, 'inhabited' | 'uninhabited'>

/**
 * Read this before the shards: a process that prepares the same stores claims a shard before it puts it to use, so an
 * inhabited shard that is unclaimed afterwards was never claimed.
 */
export async function shardsInUse(meta: Meta): Promise<ShardsInUse> {
  const rows = await store.allWithAUser(meta)
  return new Map(rows.map(({ id, user_id }) => [id, user_id === null ? 'uninhabited' : 'inhabited']))
}

/** Refuses if a user's shard is neither in SHARDS nor in SHARDS_WITHOUT. */
export function refuseMissingShards(
  { shards, shardsWithout }: Pick<Config, 'shards' | 'shardsWithout'>,
  inUse: ShardsInUse,
): void {
  const known = [...shards.map(({ id }) => id), ...shardsWithout]
  const unknown = [...inUse].filter(([id, state]) => state === 'inhabited' && !known.includes(id))
  if (unknown.length > 0) throw missing(unknown.map(([id]) => id).toSorted())
}

/** Runs for a shard whose store has nothing of ours yet. */
export function refuseLostShard(inUse: ShardsInUse, id: string): void {
  if (inUse.get(id) === 'inhabited') throw lost(id)
}

/** Runs for a global store that has nothing of ours yet. */
export async function refuseLostGlobalStore(meta: Meta, shards: readonly Shard[]): Promise<void> {
  // Another process can have made a new installation since, and these users are its own.
  for (const shard of shards) if ((await hasRows(shard)) && !(await isMigrated(meta))) throw lostGlobalStore(shard.name)
}

/** Runs if the global store is empty. Changes nothing. */
export async function refuseRowsAlone(shard: Shard): Promise<void> {
  if (await hasRows(shard)) throw lostGlobalStore(shard.name)
}

const SHARD_ID = 'shard_id'

/**
 * Two addresses can lead to one store, and its rows would belong to users of two shards. A shard in use comes first, so
 * that no new one takes its store because of a wrong address. Among new ones it is the first in SHARDS.
 */
export async function claimShards(inUse: ShardsInUse, shards: readonly Shard[]): Promise<void> {
  await Promise.all(shards.filter(({ name }) => inUse.has(name)).map((shard) => claimShard(inUse, shard)))
  for (const shard of shards) if (!inUse.has(shard.name)) await claimShard(inUse, shard)
}

async function claimShard(inUse: ShardsInUse, shard: Shard): Promise<void> {
  const id = (await findKept(shard.primary, SHARD_ID)) ?? (await claimUnclaimed(inUse, shard))
  if (id !== shard.name) throw twice(shard.name, id)
}

/** Earlier releases claimed nothing, so their stores have rows. */
async function claimUnclaimed(inUse: ShardsInUse, shard: Shard): Promise<string> {
  await refuseLost(inUse, shard)
  return keepFirst(shard, SHARD_ID, shard.name)
}

/**
 * True if users live there and the store has nothing of ours. A claimed shard can have users without rows: a process
 * may have stopped while it made them.
 */
async function isLost(inUse: ShardsInUse, shard: Shard): Promise<boolean> {
  if (inUse.get(shard.name) !== 'inhabited') return false
  return (await ifThere(findKept(shard.primary, SHARD_ID))) === undefined && !(await hasRows(shard))
}

/**
 * Makes the store at its address, which `prepare` brings up to date, the shard from now on. False if the shard is not
 * lost.
 */
export async function replaceLostShard(
  platform: Pick<Platform, 'meta' | 'now'>,
  shard: Shard,
  prepare: () => Promise<void>,
): Promise<boolean> {
  if (!(await isLost(await shardsInUse(platform.meta), shard))) return false
  await prepare()
  // No transaction spans both stores: after a stop here, the command is recorded again when it is run again.
  await recordAct({ platform }, 'shard.replace', { subject: { type: 'shard', id: shard.name } })
  await keepFirst(shard, SHARD_ID, shard.name)
  return true
}

/** Changes nothing. */
export async function refuseLost(inUse: ShardsInUse, shard: Shard): Promise<void> {
  if (await isLost(inUse, shard)) throw lost(shard.name)
}

/** Changes nothing. */
export async function refuseShardOfAnother(shard: Shard): Promise<void> {
  const id = await findKept(shard.primary, SHARD_ID)
  if (id !== undefined && id !== shard.name) throw twice(shard.name, id)
}

async function hasRows(shard: Shard): Promise<boolean> {
  return (await ifThere(store.anyResident(shard))) !== undefined
}

/** Undefined also if the store does not have the table yet. */
async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (error instanceof StoreUnavailable) throw error
    return undefined
  })
}

function twice(id: string, other: string): OperatorError {
  const words = `SHARDS gives ${id} the store of ${other}; give each a database, a schema or a file of its own`
  return new OperatorError(words)
}

function lost(id: string): OperatorError {
  return new OperatorError(
    `users live in shard ${id}, but the store at its address is empty; correct SHARDS or DATA_DIR, or restore a backup of the shard. If its data is lost for good, run \`gatehouse shards replace ${id}\``,
  )
}

function missing(ids: readonly string[]): OperatorError {
  return new OperatorError(
    `users live in ${ids.join(' and ')}, but SHARDS does not name ${ids.length === 1 ? 'it' : 'them'}; correct SHARDS, or set SHARDS_WITHOUT=${ids.join(',')} to start without the data of these users`,
  )
}

function lostGlobalStore(id: string): OperatorError {
  return new OperatorError(
    `the global store is empty, but shard ${id} has rows of users; correct DATABASE_URL or DATA_DIR, or restore a backup of the global store. A new installation needs empty shards`,
  )
}
