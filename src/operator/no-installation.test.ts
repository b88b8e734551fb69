import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { command, freshDatabase, schemaUrl, testServer, withClient } from '../../test/postgres/databases.ts'
import { after, describe, it, type TestContext } from '../../test/running/node-test.ts'
import { readConfig } from '../config/config.ts'
import { closeStores, openStores } from '../database/stores.ts'
import { migrateStores, prepareStores } from '../prepare.ts'
import { prepare, prepareExisting } from '../serve.ts'

const server = await testServer()
after(() => server.stop())

const NONE = {
  name: 'NoInstallation',
  message: /^there is no installation in [^ ]+; check DATA_DIR and DATABASE_URL, or run `gatehouse prepare`/,
}

describe('a command about an installation', () => {
  it('makes none in an empty folder', async (t) => {
    const config = await place(t)

    await assert.rejects(prepareExisting(config), NONE)

    assert.deepEqual(await storesIn(config.dataDir), [])
  })

  it('makes none in an empty file, and none beside the tables of another program', async (t) => {
    for (const tables of ['', 'create table notes (text)', 'create table schema_migration (name)']) {
      const config = await place(t)
      const file = join(config.dataDir, 'meta.sqlite')
      await writeFile(file, '')
      if (tables) execute(file, tables)

      await assert.rejects(prepareExisting(config), NONE)

      assert.deepEqual(await storesIn(config.dataDir), ['meta.sqlite'])
    }
  })

  it('makes none in an empty database on PostgreSQL', async (t) => {
    const database = await freshDatabase(server.url)
    t.after(() => database.drop())
    const config = await place(t, onlyIn(database.url))

    await assert.rejects(prepareExisting(config), NONE)

    const tables = await withClient(database.url, (client) =>
      client.query("select tablename from pg_tables where schemaname = 'public'"),
    )
    assert.deepEqual(tables.rows, [])
  })

  it('makes none in stores whose preparation never came to its end, and uses those that are prepared', async (t) => {
    const config = await place(t)
    const stores = await openStores(config)
    await migrateStores(stores, Date.now)

    await assert.rejects(prepareExisting(config), NONE)
    await prepareStores(config, stores, Date.now, 1)
    await closeStores(stores)
    const { platform } = await prepareExisting(config)

    await platform.close()
  })
})

describe('prepare', () => {
  it('refuses a database in which another program has a table of the same name', async (t) => {
    const embedded = await place(t)
    execute(join(embedded.dataDir, 'meta.sqlite'), 'create table "user" (id)')
    const database = await freshDatabase(server.url)
    t.after(() => database.drop())
    await command(database.url, 'create table "user" (id int)')
    const onPostgres = await place(t, onlyIn(database.url))

    for (const config of [embedded, onPostgres, embedded, onPostgres])
      await assert.rejects(prepare(config), {
        name: 'SchemaRefused',
        message:
          'store meta refuses migration 0002-identity; give it a database of its own, in which it can create tables',
      })
  })
})

async function place(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-place-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return readConfig({
    DATA_DIR: folder,
    AUTH_SECRET: 's'.repeat(40),
    CONFIG_ENCRYPTION_KEY: '0a'.repeat(32),
    ...environment,
  })
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
