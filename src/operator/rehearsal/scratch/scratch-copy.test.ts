import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe } from 'vitest'
import { untilSo } from '../../../../test/faults/support/replicated.ts'
import { RELEASES, restoreDump, unpackRelease } from '../../../../test/fixtures/lived-in.ts'
import { command, rowsIn, withClient } from '../../../../test/postgres/databases.ts'
import { storesIn } from '../../../../test/processes/new-stores.ts'
import { it as onServer } from '../../../../test/service/databases.ts'
import { temporaryFolder } from '../../../../test/service/temporary-folder.ts'
import { readConfig } from '../../../config/config.ts'
import { metaUrlOf, placesOf } from '../../../database/stores.ts'
import { connectTo } from '../../named-database/connection.ts'
import type { From } from '../copy.ts'
import { postgresLook } from '../looks/postgres-look.ts'
import { AS_REHEARSAL } from './connecting.ts'
import { copyDatabases } from './scratch-copy.ts'
import { timedWithWaits } from './waits.ts'

const SHARDS = ['apac-1', 'weur-1', 'oc-1']

const it = onServer.extend<{ from: From; scratch: string }>({
  from: async ({ server }, use) => {
    await using stack = new AsyncDisposableStack()
    const folder = temporaryFolder()
    unpackRelease(RELEASES[0], folder)
    const places = await storesIn(stack, server, SHARDS)
    const environment = { ...places, DATA_DIR: join(folder, 'data') }
    await restoreDump(folder, places.DATABASE_URL ?? '')
    const { signal } = new AbortController()
    await use({
      ...{ config: readConfig(environment), environment, archive: undefined, scratch: undefined, ended: signal },
      say: () => undefined,
    })
  },
  scratch: ({ database }, use) => use(database.url),
})

describe('a copy in the scratch database', () => {
  it('has every row of every table but those of the key-value store, and the same keys, indexes and triggers', async ({
    from,
    scratch,
  }) => {
    await using copy = await copyDatabases(from, [scratch])

    const [sources, copies] = [placesIn(from.config), placesIn(copy.config)]
    for (const [store, place] of copies) {
      const source = sources.get(store) ?? ''
      assert.deepEqual(await contentIn(place), await contentIn(source))
      assert.deepEqual(await schemaIn(place), await schemaIn(source))
    }
    const users = await contentIn(metaUrlOf(copy.config))
    assert.ok(users.some(([table, rows]) => table === 'user' && Number(rows) > 3))
  })

  it('runs nothing that others have made in the scratch database', async ({ from, scratch }) => {
    const seize = `language plpgsql as $$ begin raise exception 'seized'; end $$`
    await command(scratch, `create function public.starts_with(name, text) returns boolean ${seize}`)

    await using copy = await copyDatabases(from, [scratch])

    assert.equal(await copy.isQuiet?.(), true)
  })

  it('is taken for quiet unless somebody is in a transaction', async ({ from, scratch }) => {
    await using copy = await copyDatabases(from, [scratch])

    const quiet = await copy.isQuiet?.()
    const busy = await withClient(scratch, async (client) => {
      await client.query('begin; select 1')
      return copy.isQuiet?.()
    })

    assert.deepEqual([quiet, busy], [true, false])
  })
})

describe('the longest wait of a write', () => {
  it.for([
    ['a table that is locked', 'lock table first in share mode'],
    ['a row that is locked', 'update first set id = id'],
  ] as const)('is found for %s, and is none for another table', async ([, lock], { scratch }) => {
    await command(scratch, 'create table first (id int); create table other (id int); insert into first values (1)')
    const waiting = `select from pg_stat_activity where application_name = 'gatehouse rehearse' and query = 'rollback'`
    const change = () =>
      withClient(scratch, async (client) => {
        await client.query(`begin; ${lock}`)
        await untilSo('it has met the lock', async () => (await rowsIn(scratch, waiting)).length > 0)
        await client.query('commit')
      })

    const [first, other] = [
      await timedWithWaits(scratch, ['other', 'first', 'dropped'], change),
      await timedWithWaits(scratch, ['other'], async () => command(scratch, 'create index on first (id)')),
    ]

    assert.ok(first.longest_lock_ms > 0 && first.longest_lock_ms <= first.ms, JSON.stringify(first))
    assert.equal(other.longest_lock_ms, 0)
  })
})

function placesIn(config: From['config']): ReadonlyMap<string, string> {
  return new Map(placesOf(config).map(({ name, url }) => [name, url]))
}

async function contentIn(place: string) {
  await using look = postgresLook(await connectTo([place], AS_REHEARSAL))
  const tables = (await look.tables()).filter((table) => table !== 'key_value')
  const contents = []
  for (const table of tables)
    contents.push([table, await look.rows(table), await look.hash(table, await look.columns(table))] as const)
  return contents
}

/** Without the name of the schema itself. */
async function schemaIn(place: string) {
  const found = await rowsIn(
    place,
    `select replace(replace(text, quote_ident(current_schema()) || '.', ''), current_schema() || ',', 'schema,') as text from (
       select pg_get_indexdef(indexrelid) as text from pg_index join pg_class on pg_class.oid = indrelid
         where relnamespace = current_schema()::regnamespace
       union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
         where connamespace = current_schema()::regnamespace
       union all select tgenabled::text || pg_get_triggerdef(pg_trigger.oid) from pg_trigger join pg_class on pg_class.oid = tgrelid
         where relnamespace = current_schema()::regnamespace and not tgisinternal
     ) as all_of_it order by 1`,
  )
  return found.map(({ text }) => String(text))
}
