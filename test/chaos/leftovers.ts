import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { metaMigrations } from '../../src/database/migrations/meta.ts'
import type { Migration } from '../../src/database/migrations/migrate.ts'
import { shardMigrations } from '../../src/database/migrations/shard.ts'
import type { Meta, Shard } from '../../src/database/store.ts'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { tablesAfter } from '../service/stores/tables.ts'
import { type Violation, violation } from './checker/facts.ts'
import type { History } from './history.ts'
import type { World } from './worlds/world.ts'

const ERASED_WITHIN_MILLISECONDS = 180_000
const LOOK_MILLISECONDS = 200
/** They record that a user existed and is gone. */
const RECORDS = new Set(['event', 'event_outbox', 'erasure', 'residents'])

/** Rows of users who were deleted, in any table of any store, once every erasure is done. */
export async function leftovers(
  world: World,
  history: History,
  erased: ReadonlyMap<string, string>,
): Promise<readonly Violation[]> {
  const stores = await openStores(world.config)
  try {
    const isErased = await untilErased(stores)
    if (!isErased) return [violation('what is deleted is gone everywhere', [], 'an erasure does not end')]
    const found: Violation[] = []
    const places = [
      ...(await columnsOf(stores.meta, metaMigrations)),
      ...(await Promise.all([...stores.shards.values()].map((shard) => columnsOf(shard, shardMigrations)))).flat(),
    ]
    for (const { store, table, column } of places) {
      const query = sql<{ id: string }>`select ${sql.ref(column)} as id from ${sql.table(table)}`
      const ids = new Set((await query.execute(store)).rows.map(({ id }) => id))
      const met = [...erased].filter(([, id]) => ids.has(id))
      found.push(...met.map(([user]) => left(history, user, `${store.name}.${table}`)))
    }
    return found
  } finally {
    await closeStores(stores)
  }
}

/** Every column that names a user. */
async function columnsOf(store: Meta | Shard, migrations: readonly Migration[]) {
  const tables = (await tablesAfter(migrations)).filter(({ name }) => !RECORDS.has(name))
  return tables.flatMap(({ name, columns }) =>
    columns
      .filter((column) => /(^|_)user_id$|^used_by$/.test(column))
      .map((column) => ({ store, table: name, column })),
  )
}

function left(history: History, user: string, where: string): Violation {
  const about = history.entries.filter(({ deed }) => deed.kind === 'erase' && deed.user === user)
  return violation('what is deleted is gone everywhere', [user], `${where} names ${user}`, ...about)
}

async function untilErased({ meta }: Awaited<ReturnType<typeof openStores>>): Promise<boolean> {
  const until = performance.now() + ERASED_WITHIN_MILLISECONDS
  for (;;) {
    const [waiting, moving] = await Promise.all([
      meta.primary.selectFrom('erasure').select('id').where('done_at', 'is', null).execute(),
      meta.primary.selectFrom('shard_moves').select('user_id').execute(),
    ])
    if (waiting.length + moving.length === 0) return true
    if (performance.now() > until) return false
    await pause(LOOK_MILLISECONDS)
  }
}
