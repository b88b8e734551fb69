import { metaMigrations } from '../../database/migrations/meta.ts'
import { type Db, type Migration, migrate, pendingMigrations } from '../../database/migrations/migrate.ts'
import { shardMigrations } from '../../database/migrations/shard.ts'
import type { SchemaMigrationTable } from '../../database/schema/instance.ts'
import type { Store } from '../../database/store.ts'
import { openMeta, openShard } from '../../database/stores.ts'
import { reasonOf } from '../../rules/finding.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { type Content, contentOf, lossesBetween, rowsNamed, tablesNamed } from './content.ts'
import type { Copy } from './copy.ts'
import { unlessEnded } from './unless-ended.ts'

export interface Figures {
  readonly store: string
  readonly name: string
  readonly ms: number
  /** The longest wait of a write to one of the tables that the migration names. */
  readonly longest_lock_ms: number
  /** Of the tables that the migration names. */
  readonly rows: number
  /** By which the store has grown. */
  readonly bytes: number
}

interface Step {
  readonly figures: Figures
  /** What was there before and is not there now. A migration only adds. */
  readonly losses: readonly string[]
}

interface Steps {
  readonly copy: Copy
  readonly ended: AbortSignal
  /** Makes a step while nothing else writes. */
  alone<T>(step: () => Promise<T>): Promise<T>
  /** Called after each step, while no store is open. It says whether something else has written meanwhile. */
  taken(step: Step): Promise<'written' | 'as it was'>
}

/** One step after the other, in the order of a start. */
export async function migrateSteps(steps: Steps): Promise<void> {
  const { config } = steps.copy
  await migrateStore(steps, 'meta', metaMigrations, () => openMeta(config))
  for (const shard of config.shards) await migrateStore(steps, shard.id, shardMigrations, () => openShard(shard))
}

export interface Migrated {
  schema_migration: SchemaMigrationTable
}

async function migrateStore<Tables extends Migrated>(
  { copy, ended, alone, taken }: Steps,
  store: string,
  migrations: readonly Migration[],
  open: () => Promise<Store<Tables>>,
): Promise<void> {
  const pending = await withStore(open, (opened) => pendingMigrations(opened, migrations))
  const done = new Set(migrations.filter((migration) => !pending.includes(migration)))
  const look = async (named: string, earlier?: Content, unchanged?: Content) => {
    await using looking = await copy.look(store)
    return await unlessEnded(ended, contentOf(looking, named, earlier, unchanged))
  }
  let last: Content | undefined
  for (const migration of pending) {
    done.add(migration)
    const upToThis = migrations.filter((one) => done.has(one))
    const named = await withStore(open, async (opened) => textOf(opened, migration))
    const { before, times, after } = await alone(async () => {
      const had = await look(named, last, last)
      const took = await withStore(open, (opened) => {
        const change = () => unlessEnded(ended, migrate(opened, upToThis, Date.now()))
        return copy.timed(store, tablesNamed(had, named), change).catch(failed(store, migration))
      })
      return { before: had, times: took, after: await look(named, had) }
    })
    const isWritten = await taken({
      figures: {
        ...{ store, name: migration.name, ...times },
        ...{ rows: rowsNamed(after, named), bytes: after.bytes - before.bytes },
      },
      losses: lossesBetween(before, after).map((words) => `migration ${migration.name} of ${store} ${words}`),
    })
    last = isWritten === 'written' ? undefined : after
  }
}

/** The store is open for this work alone. */
export async function withStore<Tables, T>(
  open: () => Promise<Store<Tables>>,
  work: (store: Store<Tables>) => Promise<T>,
) {
  const store = await open()
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** All of a migration's statements, which name the tables that it can change. */
function textOf<Tables>(store: Store<Tables>, { up }: Migration): string {
  const statements = up(store as unknown as Db)
  return statements.map((statement) => statement.compile().sql).join('\n')
}

/** A migration that fails is named, with what the store said. */
function failed(store: string, { name }: Migration) {
  return (cause: unknown): never => {
    throw new OperatorError(`migration ${name} of ${store} fails: ${reasonOf(cause)}`, { cause })
  }
}
