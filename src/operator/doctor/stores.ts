import type { Config } from '../../config/config.ts'
import { isPostgres, type ShardAddress } from '../../config/shards.ts'
import { metaMigrations } from '../../database/migrations/meta.ts'
import { isMigrated, type Migration, pendingMigrations } from '../../database/migrations/migrate.ts'
import { shardMigrations } from '../../database/migrations/shard.ts'
import type { SchemaMigrationTable } from '../../database/schema/instance.ts'
import { type Store, StoreUnavailable } from '../../database/store.ts'
import { metaUrlOf, openMeta, openShard } from '../../database/stores.ts'
import { clockOffset, TOLERATED_MILLISECONDS } from '../../features/ground/health/clocks.ts'
import {
  refuseLost,
  refuseLostShard,
  refuseRowsAlone,
  refuseShardOfAnother,
  type ShardsInUse,
  shardsInUse,
} from '../../features/tenancy/shards/claim.ts'
import { isMissing } from '../../platform/usable-folder.ts'
import { type Finding, fine, reasonOf, wrong } from '../../rules/finding.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { gibibytes, LEAST_FREE_BYTES } from './machine.ts'
import { examineRecord } from './record.ts'
import { missingRights } from './store.ts'
import { inTime } from './time.ts'

/** The global store with its content, every shard, every replica. */
export async function examineStores(config: Config, now: () => number): Promise<readonly Finding[]> {
  let inUse: ShardsInUse | 'no global store' = new Map()
  const meta = await examineStore(
    { about: 'store meta', url: metaUrlOf(config), ifEmpty: () => (inUse = 'no global store') },
    metaMigrations,
    () => openMeta(config),
    now,
    async (store) => {
      inUse = await shardsInUse(store)
      return examineRecord(config, store, now)
    },
  )
  const shards = config.shards.map((shard) => examineShard(shard, inUse, now))
  return [meta, ...(await Promise.all([...replicas(config), ...shards]))].flat()
}

function examineShard(
  shard: ShardAddress,
  inUse: ShardsInUse | 'no global store',
  now: () => number,
): Promise<readonly Finding[]> {
  const isAlone = inUse === 'no global store'
  const ifEmpty = isAlone ? () => undefined : () => refuseLostShard(inUse, shard.id)
  return examineStore(
    { about: `store ${shard.id}`, url: shard.url, ifEmpty },
    shardMigrations,
    () => openShard(shard),
    now,
    async (store) => {
      await refuseShardOfAnother(store)
      await (isAlone ? refuseRowsAlone(store) : refuseLost(inUse, store))
      return []
    },
  )
}

interface Place {
  readonly about: string
  readonly url: string
  /** Runs if the place has none of our stores. It refuses the place by throwing. */
  readonly ifEmpty: () => void
}

interface Migrated {
  schema_migration: SchemaMigrationTable
}

async function examineStore<Tables extends Migrated>(
  { about, url, ifEmpty }: Place,
  migrations: readonly Migration[],
  open: () => Promise<Store<Tables>>,
  now: () => number,
  examineContent: (store: Store<Tables>) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    // Opening would create the file, and `doctor` changes nothing.
    if (!isPostgres(url) && (await isMissing(url))) {
      ifEmpty()
      return [wrong(about, `${url} does not exist yet; run \`gatehouse prepare\``)]
    }
    const store = await open()
    try {
      const asked = performance.now()
      await inTime(store.ping())
      if (!(await inTime(isMigrated(store)))) ifEmpty()
      const reached = `answers in ${(performance.now() - asked).toFixed(1)} ms`
      const schema = await examineSchema(about, store, migrations, reached)
      if (schema.verdict !== 'fine') return [schema]
      const lacking = isPostgres(url) ? await inTime(examineRights(about, store)) : []
      if (lacking.length > 0) return lacking
      const more = [...(await clockOf(about, store, now)), ...(await roomOf(about, store))]
      return [schema, ...more, ...(await inTime(examineContent(store)))]
    } finally {
      await store.close()
    }
  } catch (error) {
    return [wrong(about, reasonOf(error))]
  }
}

async function examineSchema<Tables extends Migrated>(
  about: string,
  store: Store<Tables>,
  migrations: readonly Migration[],
  reached: string,
): Promise<Finding> {
  try {
    const pending = await inTime(pendingMigrations(store, migrations))
    if (pending.length > 0)
      return wrong(
        about,
        `${reached}; its schema is ${pending.length === 1 ? 'one step' : `${pending.length} steps`} behind, run \`gatehouse prepare\``,
      )
    return fine(about, `${reached}, schema ${migrations.at(-1)?.name ?? 'empty'}`)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    if (error instanceof OperatorError) return wrong(about, `${reached}; ${error.message}`)
    return wrong(about, `${reached}, but has no schema of ours (${reasonOf(error)}); run \`gatehouse prepare\``)
  }
}

async function clockOf(
  about: string,
  store: Pick<Store<unknown>, 'examine'>,
  now: () => number,
): Promise<readonly Finding[]> {
  const offset = await inTime(clockOffset(store, now))
  if (offset === undefined || Math.abs(offset) <= TOLERATED_MILLISECONDS) return []
  const seconds = Math.abs(offset / 1000).toFixed(0)
  const direction = offset > 0 ? 'ahead of' : 'behind'
  return [
    wrong(
      `${about}, clock`,
      `this machine's clock is ${seconds} s ${direction} the store's; set both by NTP (timedatectl)`,
    ),
  ]
}

/** A server does not report its room; `Engine.examine` has made it use some. */
async function roomOf(about: string, store: Pick<Store<unknown>, 'freeBytes'>): Promise<readonly Finding[]> {
  const free = await store.freeBytes()
  if (free === undefined || free >= LEAST_FREE_BYTES) return []
  return [wrong(about, `${gibibytes(free)} are free on its disk; make room`)]
}

async function examineRights<Tables>(about: string, store: Store<Tables>): Promise<readonly Finding[]> {
  const missing = await missingRights(store)
  if (!missing) return []
  const { tables, grant } = missing
  return [wrong(about, `its role lacks rights on ${tables}; as the owner, run \`${grant}\``)]
}

/** Checked one by one, since the service works without a replica that is down and does not say so. */
function replicas(config: Config): Promise<readonly Finding[]>[] {
  const ofMeta = config.databaseReplicaUrls.map((url) => examineReplica('meta', url, metaUrlOf(config)))
  const ofShards = config.shards.flatMap((shard) =>
    shard.replicaUrls.map((url) => examineReplica(shard.id, url, shard.url)),
  )
  return [...ofMeta, ...ofShards]
}

async function examineReplica(store: string, url: string, primaryUrl: string): Promise<readonly Finding[]> {
  const about = `replica of ${store} at ${URL.parse(url)?.host ?? 'an unreadable address'}`
  try {
    const { pingReplica } = await import('../../database/postgres/replicas/replicas.ts')
    const role = await inTime(pingReplica(store, url, primaryUrl))
    return [fine(about, role === 'primary' ? 'is the primary now' : 'answers')]
  } catch (error) {
    return [wrong(about, reasonOf(error))]
  }
}
