import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { command, freshDatabase, schemaUrl, testServer, withClient } from '../../test/postgres/databases.ts'
import { describe, it, type TestContext } from '../../test/running/node-test.ts'
import { readConfig } from '../config/config.ts'
import { forget } from '../database/instance.ts'
import { migrate } from '../database/migrations/migrate.ts'
import { shardMigrations } from '../database/migrations/shard.ts'
import { closeStores, openShard, openStores, type Stores } from '../database/stores.ts'
import { findUserByEmail } from '../features/users/users.ts'
import { migrateStores, prepareStores } from '../prepare.ts'
import { prepare } from '../serve.ts'
import { examine } from './doctor/examine.ts'
import { replaceShard } from './lost-shard.ts'

const OPERATOR = { id: null, address: null }
const LOST =
  /^users live in shard apac-1, but the store at its address is empty; correct SHARDS .*`gatehouse shards replace apac-1`$/

for (const { engine, preparedPlace } of [
  { engine: 'a file', preparedPlace: preparedFiles },
  { engine: 'a schema of PostgreSQL', preparedPlace: preparedSchemas },
])
  describe(`a shard in which users live, whose address leads to ${engine} that is empty`, () => {
    it('is refused by a start and by doctor, and nothing is made there', async (t) => {
      const { environment, elsewhere, tablesElsewhere } = await preparedPlace(t)

      const before = await examine(elsewhere, Date.now)
      await assert.rejects(prepare(readConfig(elsewhere)), { name: 'ShardLost', message: LOST })
      await assert.rejects(prepare(readConfig(elsewhere)), { name: 'ShardLost' })
      const after = await examine(elsewhere, Date.now)

      for (const { findings } of [before, after]) {
        const found = findings.find(({ about }) => about === 'store apac-1')
        assert.equal(found?.verdict, 'wrong')
        assert.match(found?.words ?? '', LOST)
      }
      assert.equal(await tablesElsewhere(), 0)
      await (await prepare(readConfig(environment))).platform.close()
      assert.equal((await examine(environment, Date.now)).isSound, true)
    })

    it('is refused if it has only the tables, as in the middle of a restore', async (t) => {
      const { elsewhere } = await preparedPlace(t)
      const [address] = readConfig(elsewhere).shards
      assert.ok(address)
      const shard = await openShard(address)
      await migrate(shard, shardMigrations, Date.now())
      await shard.close()

      await assert.rejects(prepare(readConfig(elsewhere)), { name: 'ShardLost' })

      const { findings } = await examine(elsewhere, Date.now)
      assert.match(wordsAbout(findings, 'store apac-1'), LOST)
    })

    it('begins again after `shards replace`, which refuses a shard that is not lost', async (t) => {
      const { environment, elsewhere } = await preparedPlace(t)
      const replace = (env: typeof elsewhere, id: string) =>
        replaceShard(readConfig(env), OPERATOR, id, Date.now)

      await assert.rejects(replace(environment, 'apac-1'), { name: 'ReplaceRefused' })
      await assert.rejects(replace(elsewhere, 'weur-1'), { name: 'ReplaceRefused' })
      await assert.rejects(replace(elsewhere, 'mars-1'), /mars-1 is not in SHARDS/)
      await replace(elsewhere, 'apac-1')
      await assert.rejects(replace(elsewhere, 'apac-1'), { name: 'ReplaceRefused' })

      const { platform } = await prepare(readConfig(elsewhere))
      const entries = await platform.meta
        .selectFrom('event')
        .select('subject_id')
        .where('action', '=', 'shard.replace')
        .execute()
      assert.ok(await findUserByEmail(platform.meta, 'admin@example.com'))
      await platform.close()
      assert.deepEqual(entries, [{ subject_id: 'apac-1' }])
      assert.equal((await examine(elsewhere, Date.now)).isSound, true)
    })
  })

describe('a shard', () => {
  it('in which nobody lives takes an empty store', async (t) => {
    const { environment, folder } = await preparedFiles(t)
    const elsewhere = { ...environment, SHARDS: environment.SHARDS.replace('weur-1.sqlite', 'other.sqlite') }

    await (await prepare(readConfig(elsewhere))).platform.close()

    assert.equal(existsSync(join(folder, 'other.sqlite')), true)
    assert.equal((await examine(elsewhere, Date.now)).isSound, true)
  })

  it('that is claimed needs no rows: a process may have stopped while it made them', async (t) => {
    const { environment } = await preparedFiles(t)
    await withStores(environment, async ({ shards }) => {
      await shards.get('apac-1')?.deleteFrom('residents').execute()
    })

    await (await prepare(readConfig(environment))).platform.close()

    assert.equal((await examine(environment, Date.now)).isSound, true)
  })

  it('that an earlier release did not claim is known by its rows', async (t) => {
    const { environment } = await preparedFiles(t)
    await withStores(environment, async ({ shards }) => {
      for (const shard of shards.values()) await forget(shard, 'shard_id')
    })

    assert.equal((await examine(environment, Date.now)).isSound, true)
    await (await prepare(readConfig(environment))).platform.close()
  })

  it('that is new and has the store of another new one is refused, and the first in SHARDS keeps it', async (t) => {
    const folder = await temporary(t)
    await symlink(join(folder, 'a.sqlite'), join(folder, 'b.sqlite'))
    const shardsAt = (apac: string, weur: string) => ({
      DATA_DIR: folder,
      SHARDS: `apac-1:apac=${folder}/${apac},weur-1:weur=${folder}/${weur}`,
    })

    await assert.rejects(prepare(readConfig(shardsAt('a.sqlite', 'b.sqlite'))), {
      message: /^SHARDS gives weur-1 the store of apac-1; /,
    })

    await withStores(shardsAt('a.sqlite', 'c.sqlite'), (stores) => migrateStores(stores, Date.now))
  })
})

describe('a global store that is empty, beside a shard with rows of users', () => {
  it('is refused by a start and by doctor, and nothing is made there', async (t) => {
    const { environment, folder } = await preparedFiles(t)
    const elsewhere = { ...environment, DATA_DIR: join(folder, 'mistyped') }

    const before = await examine(elsewhere, Date.now)
    await assert.rejects(prepare(readConfig(elsewhere)), {
      name: 'GlobalStoreLost',
      message:
        /^the global store is empty, but shard apac-1 has rows of users; correct DATABASE_URL or DATA_DIR/,
    })
    await assert.rejects(prepare(readConfig(elsewhere)), { name: 'GlobalStoreLost' })
    const after = await examine(elsewhere, Date.now)

    for (const { findings } of [before, after])
      assert.match(wordsAbout(findings, 'store apac-1'), /^the global store is empty, but shard apac-1 has/)

    await (await prepare(readConfig(environment))).platform.close()
  })
})

type Findings = Awaited<ReturnType<typeof examine>>['findings']

function wordsAbout(findings: Findings, about: string): string {
  return findings.find((finding) => finding.about === about)?.words ?? `nothing about ${about}`
}

async function temporary(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-lost-'))
  t.after(() => rm(path, { recursive: true }))
  return path
}

/** Two shards, and the administrator in the first. `elsewhere` gives the first another store, which is empty. */
async function preparedFiles(t: TestContext) {
  const folder = await temporary(t)
  const at = (file: string) => ({
    DATA_DIR: folder,
    SHARDS: `apac-1:apac=${folder}/${file},weur-1:weur=${folder}/weur-1.sqlite`,
  })
  const environment = at('apac-1.sqlite')
  const elsewhere = at('mistyped.sqlite')
  await prepareAt(environment)
  return {
    folder,
    environment,
    elsewhere,
    tablesElsewhere: async () => tablesInFile(join(folder, 'mistyped.sqlite')),
  }
}

function tablesInFile(path: string): unknown {
  using database = new DatabaseSync(path, { readOnly: true })
  return database.prepare('select count(*) as tables from sqlite_schema').get()?.tables
}

async function preparedSchemas(t: TestContext) {
  const server = await testServer()
  const { url, drop } = await freshDatabase(server.url)
  t.after(async () => {
    await drop()
    await server.stop()
  })
  await command(url, 'create schema "apac"; create schema "weur"; create schema "mistyped"')
  const DATA_DIR = await temporary(t)
  const at = (schema: string) => ({
    DATA_DIR,
    DATABASE_URL: url,
    SHARDS: `apac-1:apac=${schemaUrl(url, schema)},weur-1:weur=${schemaUrl(url, 'weur')}`,
  })
  const environment = at('apac')
  const elsewhere = at('mistyped')
  await prepareAt(environment)
  const tablesElsewhere = () =>
    withClient(url, async (client) => {
      const { rows } = await client.query(
        "select count(*)::int as tables from information_schema.tables where table_schema = 'mistyped'",
      )
      return rows[0]?.tables
    })
  return { environment, elsewhere, tablesElsewhere }
}

async function prepareAt(environment: { readonly DATA_DIR: string }): Promise<void> {
  await withStores(environment, (stores) => prepareStores(readConfig(environment), stores, Date.now, 1))
  await (await prepare(readConfig(environment))).platform.close()
}

async function withStores(
  environment: { readonly DATA_DIR: string },
  work: (stores: Stores) => Promise<unknown>,
): Promise<void> {
  const stores = await openStores(readConfig(environment))
  try {
    await work(stores)
  } finally {
    await closeStores(stores)
  }
}
