import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe } from 'vitest'
import { command, schemaUrl, withClient } from '../../test/postgres/databases.ts'
import { it } from '../../test/service/databases.ts'
import { temporaryFolder } from '../../test/service/temporary-folder.ts'
import { readConfig } from '../config/config.ts'
import { closeStores, openStores } from '../database/stores.ts'
import { migrateStores, prepareStores } from '../prepare.ts'
import { prepare, prepareExisting } from '../serve.ts'

const NONE = {
  name: 'OperatorError',
  message: /^nothing is installed in [^ ]+; check DATA_DIR and DATABASE_URL, or run `gatehouse prepare`/,
}

describe('a command about an installation', () => {
  it('makes none in an empty folder', async () => {
    const config = place()

    await assert.rejects(prepareExisting(config), NONE)

    assert.deepEqual(await storesIn(config.dataDir), [])
  })

  it.for(['', 'create table notes (text)', 'create table schema_migration (name)'])(
    'makes none in an empty file, and none beside the tables of another program: "%s"',
    async (tables) => {
      const config = place()
      execute(join(config.dataDir, 'meta.sqlite'), tables)

      await assert.rejects(prepareExisting(config), NONE)

      assert.deepEqual(await storesIn(config.dataDir), ['meta.sqlite'])
    },
  )

  it('makes none in an empty database on PostgreSQL', async ({ database }) => {
    const config = place(onlyIn(database.url))

    await assert.rejects(prepareExisting(config), NONE)

    const tables = await withClient(database.url, (client) =>
      client.query("select tablename from pg_tables where schemaname = 'public'"),
    )
    assert.deepEqual(tables.rows, [])
  })

  it('makes none in stores whose preparation was never finished, and uses those that are prepared', async () => {
    const config = place()
    const stores = await openStores(config)
    await migrateStores(stores, Date.now)

    await assert.rejects(prepareExisting(config), NONE)
    await prepareStores(config, stores, Date.now, 1)
    await closeStores(stores)
    const { platform } = await prepareExisting(config)

    await platform.close()
  })
})

it('prepare refuses a database in which another program has a table of the same name', async ({ database }) => {
  const embedded = place()
  execute(join(embedded.dataDir, 'meta.sqlite'), 'create table "user" (id)')
  await command(database.url, 'create table "user" (id int)')
  const onPostgres = place(onlyIn(database.url))

  for (const config of [embedded, onPostgres, embedded, onPostgres])
    await assert.rejects(prepare(config), {
      name: 'OperatorError',
      message:
        'store meta refuses migration 0001-baseline; give it a database of its own, in which it can create tables',
    })
})

function place(environment: Readonly<Record<string, string>> = {}) {
  const secrets = { AUTH_SECRET: 's'.repeat(40), CONFIG_ENCRYPTION_KEY: '0a'.repeat(32) }
  return readConfig({ DATA_DIR: temporaryFolder(), ...secrets, ...environment })
}

function onlyIn(url: string) {
  return { DATABASE_URL: url, SHARDS: `oc-1:oc=${schemaUrl(url, 'oc-1')}` }
}

function execute(file: string, sql: string): void {
  using database = new DatabaseSync(file)
  database.exec(sql)
}

async function storesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sqlite'))
}
