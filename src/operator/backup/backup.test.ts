import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmod, cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { preparedFolder } from '../../../test/service/prepared-folder.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { type Config, readConfig } from '../../config/config.ts'
import { closeStores, openStores, type Stores } from '../../database/stores.ts'
import { prepareSecrets, secretsFile } from '../../platform/secrets/secrets.ts'
import type { Credentials } from '../../prepare.ts'
import { prepare } from '../../serve.ts'
import { backUp, renameToFree } from './backup.ts'
import { restore } from './restore.ts'
import { packed, unpacked } from './tar.ts'

interface House {
  readonly config: Config
  readonly stores: Stores
  readonly folder: string
  readonly archive: string
  backUp(): ReturnType<typeof backUp>
}

const silent = () => undefined
const NOW = Date.UTC(2026, 10, 21)

const it = test.extend<{ readonly house: House; readonly elsewhere: Config }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  house: async ({}, use) => {
    const folder = temporaryFolder()
    const config = readConfig({ DATA_DIR: join(folder, 'data') })
    await cp(await preparedFolder(), config.dataDir, { recursive: true })
    await chmod(config.dataDir, 0o700)
    const stores = await openStores(config)
    const archive = join(folder, 'backup.tar.gz')
    await use({ config, stores, folder, archive, backUp: () => backUp(config, archive, NOW, silent) })
    await closeStores(stores)
  },
  /** An empty folder with the secrets that belong to the data, as an operator would bring them. */
  elsewhere: async ({ house }, use) => {
    const folder = temporaryFolder()
    await cp(secretsFile(house.config.dataDir), secretsFile(folder))
    await chmod(folder, 0o700)
    await use(readConfig({ DATA_DIR: folder }))
  },
})

describe('backup and restore', () => {
  it('every table of every store comes back as it was', async ({ house, elsewhere }) => {
    const { config, stores, archive } = house
    await fill(stores, 200)
    const before = contentOf(config)

    await house.backUp()
    await restore(elsewhere, archive, silent)

    const stored = ['apac-1.sqlite', 'meta.sqlite', 'oc-1.sqlite', 'secrets.json', 'weur-1.sqlite']
    assert.deepEqual([await filesBeside(elsewhere), contentOf(elsewhere)], [stored, before])
  })

  it('under load it is one moment: it has no second write without the first', async ({ house, elsewhere }) => {
    const { stores, archive } = house
    await fill(stores, 300)
    const load = keepWriting(stores)

    await house.backUp()
    const written = await load.stop()
    await restore(elsewhere, archive, silent)

    const { meta, apac } = highestOf(elsewhere)
    assert.ok(written > 0, 'the load wrote nothing')
    assert.ok(meta === apac || meta === apac + 1, `meta has ${meta}, the shard ${apac}`)
  })

  it('reports its progress store by store', async ({ house }) => {
    const { config, archive } = house
    const told = new Map<string, number>()

    await backUp(config, archive, NOW, (store, share) => told.set(store, share))

    assert.deepEqual(Object.fromEntries(told), { meta: 1, 'apac-1': 1, 'weur-1': 1, 'oc-1': 1 })
    assert.deepEqual([...told.keys()], ['meta', 'apac-1', 'weur-1', 'oc-1'])
  })

  it('only its owner can read the archive, which has no secret; nothing else is left', async ({ house }) => {
    const { config, archive, folder } = house
    const secrets = await prepareSecrets(config)

    await house.backUp()

    const text = gunzipSync(await readFile(archive)).toString('latin1')
    assert.equal((await stat(archive)).mode & 0o777, 0o600)
    assert.equal(text.includes(secrets.authSecret) || text.includes(secrets.configEncryptionKey), false)
    assert.deepEqual((await readdir(folder)).toSorted(), ['backup.tar.gz', 'data'])
  })

  it('overwrites nothing: neither an archive nor a store', async ({ house }) => {
    const { config, archive } = house
    await house.backUp()

    await assert.rejects(house.backUp(), /backup\.tar\.gz already exists/)
    await assert.rejects(restore(config, archive, silent), /meta\.sqlite already exists/)
  })

  it('of two backups to one file at once, the second is refused', async ({ house, elsewhere }) => {
    const { config, archive, folder } = house

    const ended = await Promise.allSettled([NOW, NOW + 1].map((at) => backUp(config, archive, at, silent)))

    const [refused] = ended.filter((one) => one.status === 'rejected')
    const [written] = ended.filter((one) => one.status === 'fulfilled')
    assert.match(String(refused?.reason), /^OperatorError: .*backup\.tar\.gz already exists; choose another file$/)
    const { manifest } = await restore(elsewhere, archive, silent)
    assert.equal(manifest.created_at, written?.value.created_at)
    assert.deepEqual((await readdir(folder)).toSorted(), ['backup.tar.gz', 'data'])
  })

  it('on a file system without links, a backup replaces no other', async () => {
    const folder = temporaryFolder()
    const [mine, archive] = [join(folder, 'mine'), join(folder, 'backup.tar.gz')]
    await writeFile(mine, 'mine')
    await writeFile(archive, 'of another')

    await assert.rejects(renameToFree(mine, archive), /backup\.tar\.gz already exists; choose another file/)
    assert.equal(await readFile(archive, 'utf8'), 'of another')
    await rm(archive)
    await renameToFree(mine, archive)

    assert.deepEqual([await readFile(archive, 'utf8'), await readdir(folder)], ['mine', ['backup.tar.gz']])
  })

  it('a store without tables of this program is named, and not called damaged', async ({ house }) => {
    const { config, folder, archive } = house
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
        await assert.rejects(backUp(elsewhere, archive, NOW, silent), {
          name: 'OperatorError',
          message: `the store ${store} has no tables of this program; check DATA_DIR and SHARDS`,
        })
    }
    assert.deepEqual((await readdir(folder)).toSorted(), ['data', 'other.sqlite'])
  })

  it('a changed byte, a cut archive and another file are called damaged', async ({
    house: { backUp, archive },
    elsewhere,
  }) => {
    await backUp()
    const whole = await readFile(archive)
    const bytes = gunzipSync(whole)
    const at = bytes.length - 20_000
    bytes[at] = (bytes[at] ?? 0) ^ 1

    const manifest = Buffer.alloc(1024 * 1024 + 1, ' ')
    const bomb = packed(
      Readable.from([{ name: 'manifest.json', bytes: manifest.length, content: Readable.from([manifest]) }]),
      0,
    )

    for (const damaged of [gzipSync(bytes), whole.subarray(0, -1_000), 'no archive', gzipSync(await buffer(bomb))]) {
      await writeFile(archive, damaged)
      await assert.rejects(restore(elsewhere, archive, silent), {
        name: 'OperatorError',
        message: /damaged/,
      })
      assert.deepEqual(await filesBeside(elsewhere), ['secrets.json'])
    }
  })

  it('a file that is larger than the manifest says is not written, so that no archive fills the disk', async ({
    house: { backUp, archive },
    elsewhere,
  }) => {
    await backUp()
    const whole = gunzipSync(await readFile(archive))
    const entries = async function* () {
      for await (const { name, bytes, content } of unpacked(Readable.from([whole]))) {
        const read = await buffer(Readable.from(content))
        const more = name === 'manifest.json' ? 0 : 512 * 1024
        yield { name, bytes: bytes + more, content: Readable.from([read, Buffer.alloc(more)]) }
      }
    }
    await writeFile(archive, gzipSync(await buffer(packed(entries(), 0))))
    const written: string[] = []

    await assert.rejects(
      restore(elsewhere, archive, (name) => written.push(name)),
      /damaged: \S+ does not match/,
    )

    assert.deepEqual(written, [])
  })

  it('other shards and other secrets are refused before anything is written', async ({ house, elsewhere }) => {
    const { archive } = house
    await house.backUp()

    const fewer = { ...elsewhere, shards: elsewhere.shards.slice(1) }
    await assert.rejects(restore(fewer, archive, silent), /this installation has meta, weur-1, oc-1; set SHARDS/)
    const foreign = { ...elsewhere, configEncryptionKey: 'ab'.repeat(32) }
    await assert.rejects(restore(foreign, archive, silent), /another CONFIG_ENCRYPTION_KEY/)
    assert.deepEqual(await filesBeside(elsewhere), ['secrets.json'])
  })

  it.for([
    ['0001-instance', /made by a version before 0\.3\.0/],
    ['9999-later', /made by a newer version \(migration 9999-later\)/],
  ] as const)(
    'an archive with the schema step %s is refused before anything is written',
    async ([name, words], { house, elsewhere }) => {
      await house.stores.meta
        .updateTable('schema_migration')
        .set({ name })
        .where('name', '=', '0001-baseline')
        .execute()
      await house.backUp()

      await assert.rejects(restore(elsewhere, house.archive, silent), words)

      assert.deepEqual(await filesBeside(elsewhere), ['secrets.json'])
    },
  )

  it('a command that prepares the folder waits for the end of the restore', async ({ house, elsewhere }) => {
    const { archive } = house
    await house.backUp()
    let preparing: Promise<Credentials | undefined> | undefined

    await restore(elsewhere, archive, () => {
      preparing ??= prepareAndClose(elsewhere)
    })

    assert.ok(preparing)
    assert.equal(await preparing, undefined, 'it found the administrator of the archive')
  })

  it('a folder in which a restore was killed is not used', async ({ house, elsewhere }) => {
    const { archive } = house
    await house.backUp()
    await restore(elsewhere, archive, silent)
    await rename(join(elsewhere.dataDir, 'meta.sqlite'), join(elsewhere.dataDir, 'meta.sqlite.restoring'))

    await assert.rejects(prepare(elsewhere), /a restore into .* is not finished; empty the folder/)

    assert.equal((await filesBeside(elsewhere)).includes('meta.sqlite'), false)
  })

  it('without secrets the data comes back, and the missing secrets are reported', async ({ house, elsewhere }) => {
    const { archive } = house
    await house.backUp()
    await rm(secretsFile(elsewhere.dataDir))

    assert.equal((await restore(elsewhere, archive, silent)).secretsArePresent, false)
  })

  it('stores on PostgreSQL are left to its own tools', async ({ house }) => {
    const { config, archive } = house
    const remote = { ...config, databaseUrl: 'postgres://db/gate' }

    await assert.rejects(backUp(remote, archive, NOW, silent), /meta is on PostgreSQL.*docs\/operations\.md/)
  })
})

/** Returns the administrator if this preparation made one. */
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
  const row = { name: id, value: String(count) }
  await meta.insertInto('instance').values(row).execute()
  await shards.get('apac-1')?.insertInto('instance').values(row).execute()
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
      database.prepare("select max(cast(value as integer)) as n from instance where name like 'load-%'").get()?.n ?? -1,
    )
  }
  return { meta: highest('meta.sqlite'), apac: highest('apac-1.sqlite') }
}

test('the nightly unit is skipped on PostgreSQL, where it would fail', async () => {
  const unit = await readFile(new URL('../../../deploy/gatehouse-backup.service', import.meta.url), 'utf8')
  const [, condition = ''] = /^ExecCondition=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? []
  const status = (env: Readonly<Record<string, string>>) => spawnSync('/bin/sh', ['-c', condition], { env }).status

  assert.deepEqual([status({}), status({ DATABASE_URL: 'postgres://db/meta' })], [0, 1])
})

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
