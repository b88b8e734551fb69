import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { type Violation, violation } from './checker/facts.ts'
import type { History } from './history.ts'
import type { World } from './worlds/world.ts'

const ERASED_WITHIN_MILLISECONDS = 60_000
const LOOK_MILLISECONDS = 200
/** They record that somebody was there and is gone. */
const RECORDS = new Set(['audit_entry', 'erasure', 'residents'])

/** Rows of users who were deleted, in any table of any store, once every erasure is done. */
export async function leftovers(world: World, history: History, erased: ReadonlyMap<string, string>): Promise<readonly Violation[]> {
  const stores = await openStores(world.config)
  try {
    const isErased = await untilErased(stores)
    if (!isErased) return [violation('what is deleted is gone everywhere', [], 'an erasure does not end')]
    const found: Violation[] = []
    for (const store of [stores.meta, ...stores.shards.values()]) {
      for (const { name, columns } of await store.introspection.getTables()) {
        if (RECORDS.has(name)) continue
        const named = columns.filter((column) => /(^|_)user_id$|^used_by$/.test(column.name))
        for (const { name: column } of named) {
          const { rows } = await sql<{ id: string }>`select ${sql.ref(column)} as id from ${sql.table(name)}`.execute(store)
          const ids = new Set(rows.map(({ id }) => id))
          found.push(...[...erased].filter(([, id]) => ids.has(id)).map(([user]) => left(history, user, `${store.name}.${name}`)))
        }
      }
    }
    return found
  } finally {
    await closeStores(stores)
  }
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
