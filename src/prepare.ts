import type { Config } from './config/config.ts'
import * as instance from './database/instance.ts'
import { metaMigrations } from './database/migrations/meta.ts'
import { type Migration, migrate } from './database/migrations/migrate.ts'
import { shardMigrations } from './database/migrations/shard.ts'
import type { MetaTables, ShardTables } from './database/schema/tables.ts'
import type { Shard, Store } from './database/store.ts'
import type { Stores } from './database/stores.ts'
import { bySettings } from './features/ground/settings/current-settings.ts'
import { insertDefaultSettings } from './features/ground/settings/statements.ts'
import { insertBetaCodeUsedBy } from './features/operations/beta-codes/beta-codes.ts'
import { createBalance, decideNewcomer, newUser } from './features/people/account/creation.ts'
import { randomPassword } from './features/people/account/password.ts'
import { claimAccounts } from './features/people/account/providers/issuers.ts'
import { findAdministrator } from './features/people/users/statements.ts'
import {
  claimShards,
  refuseLostGlobalStore,
  refuseLostShard,
  refuseMissingShards,
  shardsInUse,
} from './features/tenancy/shards/claim.ts'
import { registerFirstShards } from './features/tenancy/shards/shards.ts'
import { failIfImportBegins, refuseUnfinishedImport, unfinishedImportOr } from './operator/transfer/under-way.ts'
import { OPERATOR } from './platform/passwords/passwords.ts'
import type { Platform } from './platform/platform.ts'
import { newId } from './rules/ids.ts'

/** OWASP's figure for PBKDF2-HMAC-SHA-1. Fixed for good at the first preparation. */
export const recommendedPasswordIterations = 1_300_000

/**
 * Schema, settings record, shards and the cost of a password. Repeatable; returns the cost in force. What is
 * already prepared is only read, so that a start does not wait for the disk.
 */
export async function prepareStores(
  config: Config,
  stores: Stores,
  now: () => number,
  passwordIterations: number,
  progress: Progress = SILENT,
): Promise<number> {
  const { meta } = stores
  await migrateStores(stores, now, progress)
  await refuseUnfinishedImport(meta)
  refuseMissingShards(config, await shardsInUse(meta))
  await claimAccounts(config, meta)
  await insertDefaultSettings(meta, now())
  await registerFirstShards({ config, meta, now })
  return passwordIterationsOf(meta, passwordIterations)
}

const PASSWORD_ITERATIONS = 'password_iterations'

async function passwordIterationsOf(meta: Stores['meta'], first: number): Promise<number> {
  return Number(
    (await instance.findKept(meta, PASSWORD_ITERATIONS)) ??
      (await instance.keepFirst(meta, PASSWORD_ITERATIONS, String(first))),
  )
}

/** True once a preparation has finished or an import has begun. Fails if the tables of this program are missing. */
export async function isPrepared(meta: Stores['meta']): Promise<boolean> {
  return (await instance.findKept(meta.primary, PASSWORD_ITERATIONS)) !== undefined
}

interface Progress {
  /** A migration of a store that is not new. */
  readonly starts: (store: string, migration: string) => void
  /** Called for each store whose schema has changed. */
  readonly migrated: (store: string, migrations: readonly string[]) => void
}

const SILENT: Progress = { starts: () => undefined, migrated: () => undefined }

export async function migrateStores(
  { meta, shards }: Stores,
  now: () => number,
  progress: Progress = SILENT,
): Promise<void> {
  const all = [...shards.values()]
  await migrateStore(meta, metaMigrations, now(), progress, () => refuseLostGlobalStore(meta, all))
  const inUse = await shardsInUse(meta)
  await Promise.all(
    all.map((shard) =>
      migrateStore(shard, shardMigrations, now(), progress, async () => refuseLostShard(inUse, shard.name)),
    ),
  )
  await claimShards(inUse, all)
}

/** Expects a shard whose store is empty. */
export function migrateNewShard(shard: Shard, now: () => number): Promise<void> {
  return migrateStore(shard, shardMigrations, now(), SILENT, async () => undefined)
}

async function migrateStore<Tables extends MetaTables | ShardTables>(
  store: Store<Tables>,
  migrations: readonly Migration[],
  now: number,
  { starts, migrated }: Progress,
  isNew: () => Promise<void>,
): Promise<void> {
  const names = await migrate(store, migrations, now, {
    starts: (migration) => starts(store.name, migration),
    isNew,
  })
  if (names.length > 0) migrated(store.name, names)
}

export interface Credentials {
  readonly email: string
  readonly password: string
}

/** The one administrator, made once; later runs change neither address nor password. */
export async function prepareAdministrator(platform: Platform): Promise<Credentials | undefined> {
  const { config, meta } = platform
  if (await findAdministrator(meta)) {
    // An import can have begun since the stores were prepared, and brings the administrator first.
    await refuseUnfinishedImport(meta)
    return undefined
  }
  const id = newId()
  const password = randomPassword()
  const newcomer = newUser({
    id,
    email: config.systemEmail,
    name: 'Administrator',
    email_verified: 1,
    role: 'administrator',
    password_hash: await platform.passwords.hash(password, OPERATOR),
    password_is_initial: 1,
  })
  const created = await bySettings(platform, (settings) =>
    decideNewcomer({ platform }, settings, newcomer, [], async (act, made) => {
      // The gate must never lock the administrator out.
      if (made) act.write(insertBetaCodeUsedBy(meta, id, platform.now()), ...failIfImportBegins(meta))
      return made
    }),
  ).catch((error: unknown) => {
    throw unfinishedImportOr(error)
  })
  if (!created) return undefined
  await createBalance(platform, created)
  return { email: created.user.email, password }
}
