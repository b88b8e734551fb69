import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe } from 'vitest'
import { command, schemaUrl, withClient } from '../../test/postgres/databases.ts'
import { it as onServer } from '../../test/service/databases.ts'
import { prepareAt, preparedFolder } from '../../test/service/prepared-folder.ts'
import { temporaryFolder } from '../../test/service/temporary-folder.ts'
import { readConfig } from '../config/config.ts'
import { forget } from '../database/instance.ts'
import { migrate } from '../database/migrations/migrate.ts'
import { shardMigrations } from '../database/migrations/shard.ts'
import { closeStores, openShard, openStores, type Stores } from '../database/stores.ts'
import { findUserByEmail } from '../features/people/users/statements.ts'
import { migrateStores } from '../prepare.ts'
import { prepare } from '../serve.ts'
import { examine } from './doctor/examine.ts'
import { replaceShard } from './lost-shard.ts'

type Place = Readonly<Record<string, string>>

const LOST =
  /^users live in shard apac-1, but the store at its address is empty; correct SHARDS .*`gatehouse shards replace apac-1`$/

/** The administrator lives in the first shard. `elsewhere` gives that shard another store, which is empty. */
interface Places {
  readonly environment: Place
  readonly elsewhere: Place
  readonly tablesElsewhere: () => Promise<unknown>
}

interface Fixtures {
  readonly files: Places & { readonly folder: string }
  readonly schemas: Places
}

const it = onServer.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  files: async ({}, use) => {
    const folder = await preparedFolder()
    const at = (file: string) => ({
      DATA_DIR: folder,
      SHARDS: `apac-1:apac=${folder}/${file},weur-1:weur=${folder}/weur-1.sqlite,oc-1:oc=${folder}/oc-1.sqlite`,
    })
    const tablesElsewhere = async () => {
      using database = new DatabaseSync(join(folder, 'mistyped.sqlite'), { readOnly: true })
      return database.prepare('select count(*) as tables from sqlite_schema').get()?.tables
    }
    await use({ folder, environment: at('apac-1.sqlite'), elsewhere: at('mistyped.sqlite'), tablesElsewhere })
  },
  schemas: async ({ database: { url } }, use) => {
    await command(url, 'create schema "apac"; create schema "weur"; create schema "mistyped"')
    const DATA_DIR = temporaryFolder()
    const at = (schema: string) => ({
      DATA_DIR,
      DATABASE_URL: url,
      SHARDS: `apac-1:apac=${schemaUrl(url, schema)},weur-1:weur=${schemaUrl(url, 'weur')}`,
    })
    await prepareAt(at('apac'))
    const tables = "select count(*)::int as tables from information_schema.tables where table_schema = 'mistyped'"
    const tablesElsewhere = () => withClient(url, async (client) => (await client.query(tables)).rows[0]?.tables)
    await use({ environment: at('apac'), elsewhere: at('mistyped'), tablesElsewhere })
  },
})

describe('a shard in which users live, whose address leads to an empty store', () => {
  const isRefused = async ({ environment, elsewhere, tablesElsewhere }: Places) => {
    const before = await wordsAboutShard(elsewhere)
    await assert.rejects(prepare(readConfig(elsewhere)), { name: 'OperatorError', message: LOST })
    await assert.rejects(prepare(readConfig(elsewhere)), { name: 'OperatorError' })
    const after = await wordsAboutShard(elsewhere)

    for (const words of [before, after]) assert.match(words, LOST)
    assert.equal(await tablesElsewhere(), 0)
    await prepareOnce(environment)
    assert.equal(await isSound(environment), true)
  }
  it('is refused by a start and by doctor, and nothing is made there: a file', ({ files }) => isRefused(files))
  it('is refused by a start and by doctor, and nothing is made there: a schema of PostgreSQL', ({ schemas }) =>
    isRefused(schemas))

  const isRefusedWithTables = async ({ elsewhere }: Places) => {
    const [address] = readConfig(elsewhere).shards
    assert.ok(address)
    const shard = await openShard(address)
    await migrate(shard, shardMigrations, Date.now())
    await shard.close()

    await assert.rejects(prepare(readConfig(elsewhere)), { name: 'OperatorError' })

    assert.match(await wordsAboutShard(elsewhere), LOST)
  }
  it('is refused if it has only the tables, as in the middle of a restore: a file', ({ files }) =>
    isRefusedWithTables(files))
  it('is refused if it has only the tables, as in the middle of a restore: a schema of PostgreSQL', ({ schemas }) =>
    isRefusedWithTables(schemas))

  const beginsAgain = async ({ environment, elsewhere }: Places) => {
    const replace = (env: Place, id: string) => replaceShard(readConfig(env), id, Date.now)

    await assert.rejects(replace(environment, 'apac-1'), { name: 'OperatorError' })
    await assert.rejects(replace(elsewhere, 'weur-1'), { name: 'OperatorError' })
    await assert.rejects(replace(elsewhere, 'mars-1'), /mars-1 is not in SHARDS/)
    await replace(elsewhere, 'apac-1')
    await assert.rejects(replace(elsewhere, 'apac-1'), { name: 'OperatorError' })

    const { platform } = await prepare(readConfig(elsewhere))
    const replaced = platform.meta.selectFrom('event').select('subject_id').where('action', '=', 'shard.replace')
    const entries = await replaced.execute()
    assert.ok(await findUserByEmail(platform.meta, 'admin@example.com'))
    await platform.close()
    assert.deepEqual([entries, await isSound(elsewhere)], [[{ subject_id: 'apac-1' }], true])
  }
  it('begins again after `shards replace`, which refuses a shard that is not lost: a file', ({ files }) =>
    beginsAgain(files))
  it('begins again after `shards replace`, which refuses a shard that is not lost: a schema of PostgreSQL', ({
    schemas,
  }) => beginsAgain(schemas))
})

describe('a shard', () => {
  it('in which nobody lives takes an empty store', async ({ files: { environment, folder } }) => {
    const SHARDS = environment.SHARDS?.replace('weur-1.sqlite', 'other.sqlite') ?? ''

    await prepareOnce({ ...environment, SHARDS })

    assert.equal(existsSync(join(folder, 'other.sqlite')), true)
    assert.equal(await isSound({ ...environment, SHARDS }), true)
  })

  it('that is claimed needs no rows: a process may have stopped while it made them', async ({ files }) => {
    await withStores(files.environment, async ({ shards }) => {
      await shards.get('apac-1')?.deleteFrom('residents').execute()
    })

    await prepareOnce(files.environment)

    assert.equal(await isSound(files.environment), true)
  })

  it('that an earlier release did not claim is recognised by its rows', async ({ files }) => {
    await withStores(files.environment, async ({ shards }) => {
      for (const shard of shards.values()) await forget(shard, 'shard_id')
    })

    assert.equal(await isSound(files.environment), true)
    await prepareOnce(files.environment)
  })

  it('that is new and has the store of another new one is refused, and the first in SHARDS keeps it', async () => {
    const folder = temporaryFolder()
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

it('an empty global store beside a shard with users is refused by a start and by doctor', async ({
  files: { environment, folder },
}) => {
  const elsewhere = { ...environment, DATA_DIR: join(folder, 'mistyped') }
  const lost = /^the global store is empty, but shard apac-1 has rows of users; correct DATABASE_URL or DATA_DIR/

  const before = await wordsAboutShard(elsewhere)
  await assert.rejects(prepare(readConfig(elsewhere)), { name: 'OperatorError', message: lost })
  await assert.rejects(prepare(readConfig(elsewhere)), { name: 'OperatorError' })
  const after = await wordsAboutShard(elsewhere)

  for (const words of [before, after]) assert.match(words, /^the global store is empty, but shard apac-1 has/)
  await prepareOnce(environment)
})

/** What doctor finds wrong with the first shard. */
async function wordsAboutShard(place: Place): Promise<string> {
  const { findings } = await examine(place, Date.now)
  const found = findings.find(({ about }) => about === 'store apac-1')
  assert.equal(found?.verdict, 'wrong', JSON.stringify(findings))
  return found.words
}

async function isSound(place: Place): Promise<boolean> {
  return (await examine(place, Date.now)).isSound
}

async function prepareOnce(place: Place): Promise<void> {
  await (await prepare(readConfig(place))).platform.close()
}

async function withStores(place: Place, work: (stores: Stores) => Promise<unknown>): Promise<void> {
  const stores = await openStores(readConfig(place))
  await work(stores)
  await closeStores(stores)
}
