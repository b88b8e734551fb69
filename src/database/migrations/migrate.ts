import type { Compilable, Kysely } from 'kysely'
import { OperatorError } from '../../rules/operator-error.ts'
import type { SchemaMigrationTable } from '../schema/instance.ts'
import type { MetaTables } from '../schema/tables.ts'
import type { Length, Store } from '../store.ts'
import { ConstraintViolation, StoreUnavailable } from '../store.ts'
import { noLimits, takeLocks } from './limits.ts'

// biome-ignore lint/suspicious/noExplicitAny: a migration names tables as they were then, not as the schema has them now.
export type Db = Kysely<any>

export interface Migration {
  readonly name: string
  /** Statements of one batch: all of them or none. Portable to both engines. */
  up(db: Db): readonly Compilable<unknown>[]
}

interface Migrated {
  schema_migration: SchemaMigrationTable
}

interface Steps {
  /** Runs before the first table is made in a store without our tables. It refuses the store by throwing. */
  readonly isNew?: () => Promise<void>
  /** Called before each migration of a store that may have rows, because it can take long. */
  readonly starts?: (migration: string) => void
}

/**
 * Returns the names of the migrations that were pending. It can be repeated, and several processes can run it
 * at once: the unique row with the name is inserted first.
 */
export async function migrate<Tables extends Migrated>(
  store: Store<Tables>,
  migrations: readonly Migration[],
  now: number,
  { isNew = async () => undefined, starts = () => undefined }: Steps = {},
): Promise<readonly string[]> {
  const db = store as unknown as Store<Migrated>
  const mayHaveRows = await isMigrated(db)
  if (!mayHaveRows) {
    await isNew()
    await createMigrationTable(db)
  }
  const pending = await pendingMigrations(db, migrations)
  for (const migration of pending) {
    if (mayHaveRows) starts(migration.name)
    await apply(db, migration, now)
  }
  return pending.map(({ name }) => name)
}

/** Migrations that are not applied yet; throws if the store is ahead of this program, or from before the first of them. */
export async function pendingMigrations<Tables extends Migrated>(
  store: Store<Tables>,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const db = store as unknown as Store<Migrated>
  const applied = await db.primary.selectFrom('schema_migration').select('name').execute()
  if (applied.some(({ name }) => isBeforeBaseline(name)))
    throw new OperatorError(
      `store ${db.name} was made by a version before 0.3.0, which this one cannot upgrade; start the version that made it, or begin with an empty store`,
    )
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = applied.find(({ name }) => !known.has(name))
  if (unknown)
    throw new OperatorError(
      `store ${db.name} has migration ${unknown.name}, which this version does not know; start a newer version, or check that its address is not that of another store`,
    )
  const done = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !done.has(name))
}

/** The first step of every version before 0.3.0, in either kind of store. */
export function isBeforeBaseline(migration: string): boolean {
  return migration === '0001-instance'
}

/** When the newest migration was applied. */
export async function newestMigrationAt(store: Store<MetaTables>): Promise<number> {
  const row = await store.primary
    .selectFrom('schema_migration')
    .select((eb) => eb.fn.max('applied_at').as('at'))
    .executeTakeFirstOrThrow()
  return Number(row.at)
}

async function apply(db: Store<Migrated>, { name, up }: Migration, now: number): Promise<void> {
  const mark = db.insertInto('schema_migration').values({ name, applied_at: now })
  try {
    const steps = up(db)
    const statements = [...noLimits(db), mark, ...takeLocks(db, steps), ...steps]
    await change(db, `migration ${name}`, statements, 'long')
  } catch (error) {
    if (error instanceof ConstraintViolation && (await isApplied(db, name))) return
    throw error
  }
}

async function change(db: Store<Migrated>, what: string, statements: readonly Compilable<unknown>[], length: Length) {
  try {
    await db.batch(statements, length)
  } catch (cause) {
    if (cause instanceof StoreUnavailable || cause instanceof ConstraintViolation) throw cause
    throw new OperatorError(
      `store ${db.name} refuses ${what}; give it a database of its own, in which it can create tables`,
      { cause },
    )
  }
}

async function isApplied(db: Store<Migrated>, name: string): Promise<boolean> {
  const row = await db.primary.selectFrom('schema_migration').select('name').where('name', '=', name).executeTakeFirst()
  return row !== undefined
}

/** False if the store has none of our tables. */
export async function isMigrated<Tables extends Migrated>(store: Store<Tables>): Promise<boolean> {
  const db = store as unknown as Store<Migrated>
  try {
    await db.primary.selectFrom('schema_migration').select('name').limit(1).execute()
    return true
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    return false
  }
}

async function createMigrationTable(db: Store<Migrated>): Promise<void> {
  const create = db.schema
    .createTable('schema_migration')
    .ifNotExists()
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('applied_at', 'bigint', (column) => column.notNull())
  try {
    await change(db, 'a table for its migrations', [create], 'short')
  } catch (error) {
    // PostgreSQL: two processes may both find no table, and the slower one fails at the catalogue's unique
    // key.
    if (!(error instanceof ConstraintViolation)) throw error
  }
}
