import assert from 'node:assert/strict'
import { chmod, cp, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, it, type TestContext } from '../../../test/running/node-test.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { closeStores, openStores, type Stores } from '../../database/stores.ts'
import { prepareSecrets, secretsFile } from '../../platform/secrets/secrets.ts'
import { type Credentials, prepareStores } from '../../prepare.ts'
import { prepare } from '../../serve.ts'
import { backUp, renameToFree } from './backup.ts'
import { restore } from './restore.ts'

const silent = () => undefined
const now = () => Date.UTC(2026, 10, 21)

describe('backup and restore', () => {
  it('every table of every store comes back as it was', async (t) => {
    const { config, stores, archive } = await house(t)
    await fill(stores, 200)
    const before = contentOf(config)

    await backUp(config, archive, now(), silent)
    const elsewhere = await emptyPlace(t, config)
    await restore(elsewhere, archive, silent)

    assert.deepEqual(await filesBeside(elsewhere), [
      'apac-1.sqlite',
      'meta.sqlite',
      'oc-1.sqlite',
      'secrets.json',
      'weur-1.sqlite',
    ])
    assert.deepEqual(contentOf(elsewhere), before)
  })

  it('under load it is one moment of all stores: a second write is never there without the first', async (t) => {
    const { config, stores, archive } = await house(t)
    await fill(stores, 300)
    const load = keepWriting(stores)

    await backUp(config, archive, now(), silent)
    const written = await load.stop()
    const elsewhere = await emptyPlace(t, config)
    await restore(elsewhere, archive, silent)

    const { meta, apac } = highestOf(elsewhere)
    assert.ok(written > 0, 'the load wrote nothing')
    assert.ok(meta === apac || meta === apac + 1, `meta has ${meta}, the shard ${apac}`)
  })

  it('tells its progress store by store', async (t) => {
    const { config, archive } = await house(t)
    const told = new Map<string, number>()

    await backUp(config, archive, now(), (store, share) => told.set(store, share))

    assert.deepEqual(
      [...told],
      [
        ['meta', 1],
        ['apac-1', 1],
        ['weur-1', 1],
        ['oc-1', 1],
      ],
    )
  })

  it('only its owner can read the archive, which contains no secret, and nothing else is left behind', async (t) => {
    const { config, archive, folder } = await house(t)
    const secrets = await prepareSecrets(config)

    await backUp(config, archive, now(), silent)

    const text = gunzipSync(await readFile(archive)).toString('latin1')
    assert.equal((await stat(archive)).mode & 0o777, 0o600)
    assert.equal(text.includes(secrets.authSecret) || text.includes(secrets.configEncryptionKey), false)
    assert.deepEqual((await readdir(folder)).toSorted(), ['backup.tar.gz', 'data'])
  })

  it('overwrites nothing: neither an archive nor a store', async (t) => {
    const { config, archive } = await house(t)
    await backUp(config, archive, now(), silent)

    await assert.rejects(backUp(config, archive, now(), silent), /backup\.tar\.gz already exists/)
    await assert.rejects(restore(config, archive, silent), /meta\.sqlite already exists/)
  })

  it('of two backups to one file at once, the second is refused', async (t) => {
    const { config, archive, folder } = await house(t)

    const ended = await Promise.allSettled(
      [now(), now() + 1].map((at) => backUp(config, archive, at, silent)),
    )

    const [refused] = ended.filter((one) => one.status === 'rejected')
    const [written] = ended.filter((one) => one.status === 'fulfilled')
    assert.match(
      String(refused?.reason),
      /^BackupRefused: .*backup\.tar\.gz already exists; choose another file$/,
    )
    const elsewhere = await emptyPlace(t, config)
    const { manifest } = await restore(elsewhere, archive, silent)
    assert.equal(manifest.created_at, written?.value.created_at)
    assert.deepEqual((await readdir(folder)).toSorted(), ['backup.tar.gz', 'data'])
  })

  it('on a file system without links, a backup replaces no other', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-backup-'))
    t.after(() => rm(folder, { recursive: true }))
    const [mine, archive] = [join(folder, 'mine'), join(folder, 'backup.tar.gz')]
    await writeFile(mine, 'mine')
    await writeFile(archive, 'of another')

    await assert.rejects(renameToFree(mine, archive), /backup\.tar\.gz already exists; choose another file/)
    assert.equal(await readFile(archive, 'utf8'), 'of another')
    await rm(archive)
    await renameToFree(mine, archive)

    assert.equal(await readFile(archive, 'utf8'), 'mine')
    assert.deepEqual(await readdir(folder), ['backup.tar.gz'])
  })

  it('a store without tables of this program is named, and not called damaged', async (t) => {
    const { config, folder, archive } = await house(t)
    const file = join(folder, 'other.sqlite')
    for (const tables of ['', 'create table notes (text)']) {
      await writeFile(file, '')
      using database = new DatabaseSync(file)
      database.exec(tables)
      const [shard, ...shards] = config.shards
      assert.ok(shard)

      for (const [store, elsewhere] of [
        ['meta', { ...config, databaseUrl: file }],
        ['apac-1', { ...config, shards: [{ ...shard, url: file }, ...shards] }],
      ] as const)
        await assert.rejects(backUp(elsewhere, archive, now(), silent), {
          name: 'BackupRefused',
          message: `the store ${store} has no tables of this program; check DATA_DIR and SHARDS`,
        })
    }
    assert.deepEqual((await readdir(folder)).toSorted(), ['data', 'other.sqlite'])
  })

  it('a single changed byte is found, and the data folder stays empty', async (t) => {
    const { config, archive } = await house(t)
    await backUp(config, archive, now(), silent)
    const bytes = gunzipSync(await readFile(archive))
    const at = bytes.length - 20_000
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(archive, gzipSync(bytes))
    const elsewhere = await emptyPlace(t, config)

    await assert.rejects(restore(elsewhere, archive, silent), /damaged/)

    assert.deepEqual(await filesBeside(elsewhere), ['secrets.json'])
  })

  it('an archive that is cut short, or a file that is not an archive, is refused with an explanation', async (t) => {
    const { config, archive } = await house(t)
    await backUp(config, archive, now(), silent)
    await using handle = await open(archive, 'r+')
    await handle.truncate((await handle.stat()).size - 1_000)
    const elsewhere = await emptyPlace(t, config)

    await assert.rejects(restore(elsewhere, archive, silent), { name: 'ArchiveDamaged' })
    await writeFile(archive, 'no archive')
    await assert.rejects(restore(elsewhere, archive, silent), { name: 'ArchiveDamaged' })
    assert.deepEqual(await filesBeside(elsewhere), ['secrets.json'])
  })

  it('other shards, other secrets and a newer version are refused before anything is written', async (t) => {
    const { config, archive } = await house(t)
    await backUp(config, archive, now(), silent)
    const elsewhere = await emptyPlace(t, config)

    const fewer = { ...elsewhere, shards: elsewhere.shards.slice(1) }
    await assert.rejects(
      restore(fewer, archive, silent),
      /this installation has meta, weur-1, oc-1; set SHARDS/,
    )
    const foreign = { ...elsewhere, configEncryptionKey: 'ab'.repeat(32) }
    await assert.rejects(restore(foreign, archive, silent), /another CONFIG_ENCRYPTION_KEY/)
    assert.deepEqual(await filesBeside(elsewhere), ['secrets.json'])
  })

  it('a command that prepares the folder meanwhile waits for the end of the restore', async (t) => {
    const { config, archive } = await house(t)
    await prepareAndClose(config)
    await backUp(config, archive, now(), silent)
    const elsewhere = await emptyPlace(t, config)
    let preparing: Promise<Credentials | undefined> | undefined

    await restore(elsewhere, archive, () => {
      preparing ??= prepareAndClose(elsewhere)
    })

    assert.ok(preparing)
    assert.equal(await preparing, undefined, 'it found the administrator of the archive')
  })

  it('a folder in which a restore was killed is not used, as long as the global store is missing', async (t) => {
    const { config, archive } = await house(t)
    await backUp(config, archive, now(), silent)
    const elsewhere = await emptyPlace(t, config)
    await restore(elsewhere, archive, silent)
    await rename(join(elsewhere.dataDir, 'meta.sqlite'), join(elsewhere.dataDir, 'meta.sqlite.restoring'))

    await assert.rejects(prepare(elsewhere), /a restore into .* is not finished; empty the folder/)

    assert.equal((await filesBeside(elsewhere)).includes('meta.sqlite'), false)
  })

  it('without secrets the data comes back, and the output says what is missing', async (t) => {
    const { config, archive } = await house(t)
    await backUp(config, archive, now(), silent)
    const elsewhere = await emptyPlace(t, config)
    await rm(secretsFile(elsewhere.dataDir))

    assert.equal((await restore(elsewhere, archive, silent)).secretsArePresent, false)
  })

  it('stores on PostgreSQL are left to its own tools', async (t) => {
    const { config, archive } = await house(t)
    const remote = { ...config, databaseUrl: 'postgres://db/gate' }

    await assert.rejects(
      backUp(remote, archive, now(), silent),
      /meta is on PostgreSQL.*docs\/operations\.md/,
    )
  })
})

async function house(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-backup-'))
  const config = readConfig({ DATA_DIR: join(folder, 'data') })
  await prepareSecrets(config)
  const stores = await openStores(config)
  t.after(async () => {
    await closeStores(stores)
    await rm(folder, { recursive: true })
  })
  await prepareStores(config, stores, now, 1)
  return { config, stores, folder, archive: join(folder, 'backup.tar.gz') }
}

/** With the secrets that belong to the data, as an operator would bring them. */
async function emptyPlace(t: TestContext, from: Config): Promise<Config> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-restore-'))
  t.after(() => rm(folder, { recursive: true }))
  await cp(secretsFile(from.dataDir), secretsFile(folder))
  await chmod(folder, 0o700)
  return readConfig({ DATA_DIR: folder })
}

/** Returns the administrator, if there was none. */
async function prepareAndClose(config: Config): Promise<Credentials | undefined> {
  const { platform, credentials } = await prepare(config)
  await platform.close()
  return credentials
}

async function filesBeside(config: Config): Promise<string[]> {
  const files = await readdir(config.dataDir)
  return files.filter((file) => !file.endsWith('.lock')).toSorted()
}

async function fill(stores: Stores, rows: number): Promise<void> {
  for (let i = 0; i < rows; i++) void writeBoth(stores, `row-${i}`, -1)
  await writeBoth(stores, 'row-last', -1)
}

/** First the global store, then the shard, as creating a user does. */
async function writeBoth({ meta, shards }: Stores, id: string, count: number): Promise<void> {
  const shard = shards.get('apac-1')
  await meta
    .insertInto('instance')
    .values({ name: id, value: String(count) })
    .execute()
  await shard
    ?.insertInto('instance')
    .values({ name: id, value: String(count) })
    .execute()
}

function keepWriting(stores: Stores) {
  let isOn = true
  const written = (async () => {
    let count = 0
    for (; isOn; count++) await writeBoth(stores, `load-${count}`, count)
    return count
  })()
  return {
    stop() {
      isOn = false
      return written
    },
  }
}

function highestOf(config: Config): { meta: number; apac: number } {
  const highest = (file: string) => {
    using database = new DatabaseSync(join(config.dataDir, file), { readOnly: true })
    return Number(
      database.prepare("select max(cast(value as integer)) as n from instance where name like 'load-%'").get()
        ?.n ?? -1,
    )
  }
  return { meta: highest('meta.sqlite'), apac: highest('apac-1.sqlite') }
}

/** Every row of every table of every store. */
function contentOf(config: Config) {
  const files = ['meta.sqlite', ...config.shards.map(({ id }) => `${id}.sqlite`)]
  return files.map((file) => {
    using database = new DatabaseSync(join(config.dataDir, file), { readOnly: true })
    const tables = database
      .prepare("select name, sql from sqlite_schema where name not like 'sqlite_%' order by name")
      .all()
    const rows = tables
      .filter(({ sql }) => /^create table/i.test(String(sql)))
      .map(({ name }) => database.prepare(`select * from "${name}"`).all())
    return { file, tables, rows }
  })
}
