import assert from 'node:assert/strict'
import { chmod, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'iovalkey'
import { describe } from 'vitest'
import { command, schemaUrl } from '../../../test/postgres/databases.ts'
import { findRedisServer, startRedis } from '../../../test/processes/redis.ts'
import { it } from '../../../test/service/databases.ts'
import { eventRow } from '../../../test/service/event-rows.ts'
import { prepareAt, preparedFolder } from '../../../test/service/prepared-folder.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { readConfig } from '../../config/config.ts'
import { forget, keepFirst } from '../../database/instance.ts'
import { closeStores, openStores, type Stores } from '../../database/stores.ts'
import { readSettings } from '../../features/ground/settings/current-settings.ts'
import { makeKey } from '../../features/ground/signing/keys.ts'
import type { Platform } from '../../platform/platform.ts'
import { migrateStores } from '../../prepare.ts'
import { prepare } from '../../serve.ts'
import { examine } from './examine.ts'

interface Place {
  readonly DATA_DIR: string
  readonly [name: string]: string
}

const OTHER_KEY = { CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }
const redis = findRedisServer()

interface Trouble {
  readonly what: string
  readonly place?: () => Promise<Place>
  /** Returns further values of the environment. */
  readonly change: (place: Place) => Promise<unknown>
  readonly now?: () => number
  readonly finds: Readonly<Record<string, RegExp>>
  readonly isSound?: boolean
}

const TROUBLES: readonly Trouble[] = [
  {
    what: 'a data folder before its first preparation is wrong, and doctor says what to run',
    place: async () => ({ DATA_DIR: join(temporaryFolder(), 'nothing-yet') }),
    change: async () => {},
    finds: {
      'data folder': /does not exist yet; run `gatehouse prepare`/,
      'store meta': /does not exist yet; run `gatehouse prepare`/,
    },
  },
  {
    what: 'an import that was not finished is wrong, and doctor says what to do',
    change: (place) => withStores(place, ({ meta }) => keepFirst(meta, 'import_under_way', 'an export')),
    finds: { import: /not finished; run `gatehouse import` again/ },
  },
  {
    what: 'a preparation that was not finished is wrong, and doctor says what to do',
    place: async () => ({ DATA_DIR: temporaryFolder() }),
    change: (place) => withStores(place, (stores) => migrateStores(stores, Date.now)),
    finds: { preparation: /not finished; run `gatehouse prepare`/ },
  },
  {
    what: 'a restore that was not finished is wrong, and doctor says what to do',
    place: async () => ({ DATA_DIR: temporaryFolder() }),
    change: ({ DATA_DIR }) => writeFile(join(DATA_DIR, 'meta.sqlite.restoring'), ''),
    finds: { restore: /not finished; empty the folder/ },
  },
  {
    what: 'a malformed value is the only finding',
    change: async () => ({ PORT: 'eighty' }),
    finds: { configuration: /^PORT must be a port number/ },
  },
  {
    what: 'a store of a newer version is wrong, and doctor does not advise to prepare it',
    change: (place) =>
      withStores(place, ({ meta }) =>
        meta.insertInto('schema_migration').values({ name: '9999-of-tomorrow', applied_at: 1 }).execute(),
      ),
    finds: {
      'store meta':
        /^answers in [\d.]+ ms; store meta has migration 9999-of-tomorrow, which this version does not know; start a newer version, [^`]+$/,
    },
  },
  {
    what: 'a clock behind the data is wrong',
    change: async () => {},
    now: () => Date.now() - 3_600_000,
    finds: {
      clock: /but some data has a later time/,
      'store meta, clock': /^this machine's clock is 3600 s behind the store's; .*NTP/,
      'store apac-1, clock': /^this machine's clock is 3600 s behind the store's; .*NTP/,
    },
  },
  {
    what: 'a clock behind what has happened is wrong, however old the schema is',
    change: (place) =>
      withStores(place, async ({ meta }) => {
        await meta.updateTable('schema_migration').set({ applied_at: 1 }).execute()
        const row = eventRow({ type: 'user.updated', user_id: null, data: {} }, Date.now() + 3_600_000)
        await meta
          .insertInto('event')
          .values({ ...row, action: 'user.sign_in' })
          .execute()
      }),
    finds: { clock: /but some data has a later time/ },
  },
  {
    what: 'a shard that SHARDS no longer names is wrong',
    change: async (place) => {
      const shards = readConfig(place).shards.slice(1)
      return { SHARDS: shards.map(({ id, region, url }) => `${id}:${region}=${url}`).join(',') }
    },
    finds: {
      shards: /^users live in apac-1, but it is not in SHARDS, .* set SHARDS_WITHOUT=apac-1 to start/,
    },
  },
  {
    what: 'a shard that SHARDS_WITHOUT leaves out is wrong until it is back',
    change: async (place) => {
      const shards = readConfig(place).shards.slice(1)
      const SHARDS = shards.map(({ id, region, url }) => `${id}:${region}=${url}`).join(',')
      return { SHARDS, SHARDS_WITHOUT: 'apac-1' }
    },
    finds: { shards: /^apac-1 is left out by SHARDS_WITHOUT, .* put it back into SHARDS/ },
  },
  {
    what: 'a challenge whose keys are gone is wrong, with the command that switches it off',
    change: async (place) => {
      await withPlatform(place, async ({ meta }) => {
        const { authentication } = await readSettings(meta)
        const on = JSON.stringify({ ...authentication, challenge_enabled: true })
        await meta.updateTable('settings').set({ authentication: on }).execute()
      })
      return { APP_DOMAIN: 'id.example.com' }
    },
    finds: {
      challenge: /CHALLENGE_SITE_KEY and CHALLENGE_SECRET are not set.*`gatehouse admin switch-off-challenge`/,
    },
  },
  {
    what: 'settings sealed under another key are named',
    change: async (place) => {
      await withPlatform(place, async ({ meta, secretBox }) => {
        const sealed = { provider: 'api', api_key: secretBox.seal('settings:email_api_key', 'key') }
        await meta
          .updateTable('settings')
          .set({ email: JSON.stringify(sealed) })
          .execute()
      })
      return OTHER_KEY
    },
    finds: { settings: /email_api_key was sealed under another key; save it again/ },
  },
  {
    what: 'test keys on a public address are wrong, and a missing TRUSTED_PROXIES is noted',
    change: async () => ({
      APP_DOMAIN: 'id.example.com',
      CHALLENGE_SITE_KEY: '1x00000000000000000000AA',
      CHALLENGE_SECRET: '1x0000000000000000000000000000000AA',
    }),
    finds: { challenge: /published test secret/, proxies: /TRUSTED_PROXIES is not set/ },
  },
  {
    what: 'accounts of a former issuer are noted',
    change: (place) =>
      withPlatform(place, async ({ meta }) => {
        const account = { provider: 'provider_a', issuer: 'https://former.example' } as const
        await meta.updateTable('account').set(account).execute()
      }),
    finds: { providers: /provider_a is now https:\/\/accounts\.google\.com; 1 linked/ },
    isSound: true,
  },
  {
    what: 'damaged secrets are wrong, an open data folder is noted',
    change: async ({ DATA_DIR }) => {
      await writeFile(join(DATA_DIR, 'secrets.json'), '{}')
      await chmod(DATA_DIR, 0o755)
    },
    finds: { secrets: /is damaged; restore it from a backup/, 'data folder': /consider chmod 700/ },
  },
]

describe('doctor', () => {
  it('finds nothing wrong with a prepared installation, and changes nothing', async () => {
    const { isSound, about, all } = await examined(await preparedPlace())

    assert.equal(isSound, true, all)
    assert.match(about('store meta'), /answers in .* schema 00/)
    assert.match(about('store oc-1'), /answers in .* schema 00/)
    assert.match(about('disk'), /GiB are free/)
    assert.match(about('administrator'), /admin@example\.com still has the password that was printed/)
  })

  it.for(TROUBLES)('$what', async ({ place = preparedPlace, change, now, finds, isSound = false }) => {
    const prepared = await place()
    const changes = await change(prepared)

    const found = await examined({ ...prepared, ...(changes as Place | undefined) }, now)

    for (const [about, words] of Object.entries(finds)) assert.match(found.about(about), words, about)
    assert.equal(found.isSound, isSound, found.all)
  })

  it('one store under two addresses of SHARDS is wrong, and so is its preparation', async () => {
    const DATA_DIR = temporaryFolder()
    const [a, b] = [join(DATA_DIR, 'a.sqlite'), join(DATA_DIR, 'b.sqlite')]
    await symlink(a, b)
    const place = { DATA_DIR, SHARDS: `apac-1:apac=${a},weur-1:weur=${b}` }

    await assert.rejects(prepare(readConfig(place)), /SHARDS gives \S+ the store of \S+; give each/)

    const { isSound, all } = await examined(place)
    assert.equal(isSound, false)
    assert.match(all, /SHARDS gives \S+ the store of/)
  })

  it('a new shard cannot take the store of a shard in use that has no id yet', async () => {
    const DATA_DIR = temporaryFolder()
    await symlink(join(DATA_DIR, 'a.sqlite'), join(DATA_DIR, 'b.sqlite'))
    const inUse = { DATA_DIR, SHARDS: `apac-1:apac=${join(DATA_DIR, 'a.sqlite')}` }
    const withNew = (file: string) => ({
      DATA_DIR,
      SHARDS: `weur-1:weur=${join(DATA_DIR, file)},${inUse.SHARDS}`,
    })
    await prepareAt(inUse)
    await withStores(inUse, async ({ shards }) => {
      for (const shard of shards.values()) await forget(shard, 'shard_id')
    })

    await assert.rejects(prepare(readConfig(withNew('b.sqlite'))), /gives weur-1 the store of apac-1/)

    await withPlatform(withNew('c.sqlite'), async () => {})
    assert.equal((await examined(withNew('c.sqlite'))).isSound, true)
  })

  it('an unreachable store, replica and key-value store are named', async () => {
    const gone = 'postgres://gate@127.0.0.1:1/gate'
    const { about } = await examined({
      DATA_DIR: temporaryFolder(),
      DATABASE_URL: gone,
      DATABASE_REPLICA_URLS: gone,
      SHARDS: `far-1:apac=${gone}-shard`,
      KV_URL: 'redis://127.0.0.1:1',
    })

    for (const one of ['store meta', 'store far-1', 'replica of meta at 127.0.0.1:1', 'key-value store'])
      assert.match(about(one), /not available/, one)
  })

  it.skipIf(!redis)(
    'stores that refuse writes are named, with what the server says (needs redis-server or valkey-server)',
    async ({ database }) => {
      await using opened = new AsyncDisposableStack()
      const keyValue = await startRedis(redis ?? '')
      opened.defer(() => keyValue.stop())
      const closed = new URL(database.url)
      closed.searchParams.set('options', '-c default_transaction_read_only=on')
      const operator = new Redis(keyValue.url)
      await operator.replicaof('127.0.0.1', 1)
      operator.disconnect()

      const place = { DATA_DIR: temporaryFolder(), DATABASE_URL: closed.href, KV_URL: keyValue.url }
      const { about } = await examined(place)

      assert.match(about('store meta'), /not available \(.*default_transaction_read_only is on\)/)
      assert.match(about('key-value store'), /not available \(READONLY .*\)/)
    },
  )

  it('a right that the role lacks is wrong, and doctor prints the grant', async ({ server, database: { url } }) => {
    const role = `narrow_${process.pid}`
    await command(url, `create schema "oc-1"; create role ${role} login`)
    const at = (of: string) => ({ DATABASE_URL: of, SHARDS: `oc-1:oc=${schemaUrl(of, 'oc-1')}` })
    const DATA_DIR = temporaryFolder()
    await prepareAt({ DATA_DIR, ...at(url) })
    const place = { DATA_DIR, ...at(Object.assign(new URL(url), { username: role }).href) }
    await command(
      url,
      `grant usage on schema "oc-1" to ${role};
       grant select, insert, update, delete on all tables in schema "oc-1", public to ${role};
       revoke update on "oc-1".credit_balance from ${role}`,
    )

    const lacking = await examined(place)

    const grant = `grant select, insert, update, delete on all tables in schema "oc-1" to ${role}`
    const words = `its role lacks rights on credit_balance; as the owner, run \`${grant}\``
    assert.equal(lacking.about('store oc-1'), words)
    await command(url, grant)
    assert.match((await examined(place)).about('store oc-1'), /^answers in/)
    await command(url, `drop owned by ${role}`)
    await command(server, `drop role ${role}`)
  })

  it('signing keys sealed under another key are wrong until successors replace them, and doctor says what to do', async () => {
    const place = await preparedPlace()
    const otherwise = { ...place, ...OTHER_KEY }
    const makeIn = (at: Place, generation: number) =>
      withPlatform(at, (platform) => makeKey(platform, 'EdDSA', generation, platform.now()))
    await makeIn(place, 1)
    const [same, other] = [await examined(place), await examined(otherwise)]
    await makeIn(otherwise, 2)
    const [current, replaced] = [await examined(place), await examined(otherwise)]

    assert.deepEqual([same.isSound, other.isSound], [true, false])
    assert.match(other.about('signing keys'), /^1 sealed .* put the former .* back, or start again/)
    assert.equal(replaced.about('signing keys'), 'nothing about signing keys')
    assert.match(current.about('signing keys'), /^1 sealed /)
  })
})

async function examined(place: Place, now = Date.now) {
  const { isSound, findings } = await examine(place, now)
  const about = (what: string) => findings.find((one) => one.about === what)?.words ?? `nothing about ${what}`
  return { isSound, about, all: findings.map(({ about, words }) => `${about}: ${words}`).join('\n') }
}

async function preparedPlace(): Promise<Place> {
  return { DATA_DIR: await preparedFolder() }
}

async function withStores(place: Place, work: (stores: Stores) => Promise<unknown>): Promise<void> {
  const stores = await openStores(readConfig(place))
  await work(stores)
  await closeStores(stores)
}

async function withPlatform(place: Place, work: (platform: Platform) => Promise<unknown>): Promise<void> {
  const { platform } = await prepare(readConfig(place))
  await work(platform)
  await platform.close()
}
