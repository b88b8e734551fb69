import { addressesOf } from '../../../config/addresses.ts'
import type { Config } from '../../../config/config.ts'
import { metaMigrations } from '../../../database/migrations/meta.ts'
import { type Migration, migrate, pendingMigrations } from '../../../database/migrations/migrate.ts'
import { shardMigrations } from '../../../database/migrations/shard.ts'
import { isPgBouncer } from '../../../database/postgres/connection-options.ts'
import type { Store } from '../../../database/store.ts'
import { metaUrlOf, openMeta, openShard, placesOf } from '../../../database/stores.ts'
import { OperatorError } from '../../../rules/operator-error.ts'
import type { Connection } from '../../named-database/connection.ts'
import { refuseNoInstallation } from '../../no-installation.ts'
import { type Copy, configured, copyFolder, type From } from '../copy.ts'
import { postgresLook } from '../looks/postgres-look.ts'
import { type Migrated, withStore } from '../migrating.ts'
import { unlessEnded } from '../unless-ended.ts'
import { connected, NO_LIMITS } from './connecting.ts'
import { fill } from './filling.ts'
import { Scratch, WHOSE } from './scratch.ts'
import { timedWithWaits } from './waits.ts'

/** Copies the stores into the scratch database. Each is read in one transaction, which writes nothing. */
export async function copyDatabases(from: From, addresses: readonly string[]): Promise<Copy> {
  const [address, another] = addresses
  if (address === undefined || another !== undefined || isPgBouncer(address))
    throw new OperatorError('--scratch names one server itself, not several and no PgBouncer')
  await refuseNoInstallation(from.config)
  await using made = new AsyncDisposableStack()
  const scratch = made.use(await Scratch.take(address))
  const folder = await copyFolder(from, made)
  const places = new Map<string, string>()
  for (const [i, { name }] of placesOf(from.config).entries()) places.set(name, await scratch.place(i))
  const placeOf = (store: string) => places.get(store) ?? ''
  const { environment, config } = configured(from, folder, { meta: placeOf('meta'), shard: placeOf })
  from.say('the stores are copied')
  await unlessEnded(from.ended, copyAll(from.config, config))
  const all = made.move()
  return {
    ...{ environment, config },
    isQuiet: () => scratch.isQuiet(),
    look: async (store) => postgresLook(await unlimited(placeOf(store))),
    timed: (store, tables, change) => timedWithWaits(placeOf(store), tables, change),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** All snapshots are taken before the first of them is read. */
async function copyAll(config: Config, copied: Config): Promise<void> {
  await using sources = new AsyncDisposableStack()
  const opening = placesOf(config).map(({ name, url }) => snapshotOf(sources, name, url))
  const [meta, ...shards] = await Promise.all(opening)
  if (meta)
    await copyStore(
      meta,
      metaUrlOf(copied),
      metaMigrations,
      () => openMeta(config),
      () => openMeta(copied),
    )
  for (const [i, from] of config.shards.entries()) {
    const [source, to] = [shards[i], copied.shards[i]]
    if (source && to)
      await copyStore(
        source,
        to.url,
        shardMigrations,
        () => openShard(from),
        () => openShard(to),
      )
  }
}

async function snapshotOf(sources: AsyncDisposableStack, store: string, url: string): Promise<Connection> {
  const source = await connected(`store ${store}`, addressesOf(url))
  sources.defer(() => source.end())
  await source.query('begin transaction isolation level repeatable read, read only')
  await source.query(NO_LIMITS, [true])
  return source
}

/** The migrations that made the tables of the source make those of the copy, so both have the same. */
async function copyStore<Tables extends Migrated>(
  source: Connection,
  place: string,
  migrations: readonly Migration[],
  openSource: () => Promise<Store<Tables>>,
  openCopy: () => Promise<Store<Tables>>,
): Promise<void> {
  const pending = await withStore(openSource, (store) => pendingMigrations(store, migrations))
  const applied = migrations.filter((migration) => !pending.includes(migration))
  await withStore(openCopy, (store) => migrate(store, applied, Date.now()))
  const copy = await unlimited(place)
  try {
    await fill(source, copy)
  } finally {
    await copy.end()
  }
}

async function unlimited(place: string): Promise<Connection> {
  const connection = await connected(WHOSE, [place])
  await connection.query(NO_LIMITS, [false])
  return connection
}
