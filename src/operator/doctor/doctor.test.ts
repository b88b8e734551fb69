import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'iovalkey'
import { command, freshDatabase, schemaUrl, testServer } from '../../../test/postgres/databases.ts'
import { findRedisServer, startRedis } from '../../../test/processes/redis.ts'
import { describe, it, type TestContext } from '../../../test/running/node-test.ts'
import { type Environment, readConfig } from '../../config/config.ts'
import { forget, keepFirst } from '../../database/instance.ts'
import { closeStores, openStores, type Stores } from '../../database/stores.ts'
import { makeKey } from '../../features/signing/keys.ts'
import { migrateStores, prepareStores } from '../../prepare.ts'
import { prepare } from '../../serve.ts'
import { examine } from './examine.ts'

const redis = findRedisServer()

describe('doctor', () => {
  it('finds nothing wrong with a prepared installation, and changes nothing', async (t) => {
    const environment = await preparedPlace(t)

    const { isSound, findings } = await examine(environment, Date.now)

    assert.equal(isSound, true, JSON.stringify(findings))
    assert.match(wordsAbout(findings, 'store meta'), /answers in .* schema 00/)
    assert.match(wordsAbout(findings, 'store oc-1'), /answers in .* schema 00/)
    assert.match(wordsAbout(findings, 'disk'), /GiB are free/)
    assert.match(
      wordsAbout(findings, 'administrator'),
      /admin@example\.com still has the password that was printed/,
    )
  })

  it('before the first preparation it says what to run', async (t) => {
    const environment = { DATA_DIR: join(await folder(t), 'nothing-yet') }

    const { isSound, findings } = await examine(environment, Date.now)

    assert.equal(isSound, false)
    assert.match(wordsAbout(findings, 'data folder'), /does not exist yet; run `gatehouse prepare`/)
    assert.match(wordsAbout(findings, 'store meta'), /does not exist yet; run `gatehouse prepare`/)
  })

  it('an import, a preparation or a restore that was not finished is wrong, with what to do', async (t) => {
    const imported = await preparedPlace(t)
    const migrated = { DATA_DIR: await folder(t) }
    const restored = { DATA_DIR: await folder(t) }
    await withStores(imported, ({ meta }) => keepFirst(meta, 'import_under_way', 'an export'))
    await withStores(migrated, (stores) => migrateStores(stores, Date.now))
    await writeFile(join(restored.DATA_DIR, 'meta.sqlite.restoring'), '')

    const found = await Promise.all([imported, migrated, restored].map((place) => examine(place, Date.now)))

    assert.match(wordsAbout(found[0]?.findings ?? [], 'import'), /not finished; run `gatehouse import` again/)
    assert.match(wordsAbout(found[1]?.findings ?? [], 'preparation'), /not finished; run `gatehouse prepare`/)
    assert.match(wordsAbout(found[2]?.findings ?? [], 'restore'), /not finished; empty the folder/)
    assert.ok(found.every(({ isSound }) => !isSound))
  })

  it('one store under two addresses of SHARDS is wrong, and so is its preparation', async (t) => {
    const place = await folder(t)
    await symlink(join(place, 'a.sqlite'), join(place, 'b.sqlite'))
    const environment = {
      DATA_DIR: place,
      SHARDS: `apac-1:apac=${join(place, 'a.sqlite')},weur-1:weur=${join(place, 'b.sqlite')}`,
    }

    await assert.rejects(prepare(readConfig(environment)), /SHARDS gives \S+ the store of \S+; give each/)

    const { isSound, findings } = await examine(environment, Date.now)
    assert.equal(isSound, false)
    assert.match(findings.map(({ words }) => words).join('\n'), /SHARDS gives \S+ the store of/)
  })

  it('a new shard with the address of one in use takes no store that has kept no id yet', async (t) => {
    const place = await folder(t)
    await symlink(join(place, 'a.sqlite'), join(place, 'b.sqlite'))
    const inUse = `apac-1:apac=${join(place, 'a.sqlite')}`
    const withNew = (file: string) => ({
      DATA_DIR: place,
      SHARDS: `weur-1:weur=${join(place, file)},${inUse}`,
    })
    await (await prepare(readConfig({ DATA_DIR: place, SHARDS: inUse }))).platform.close()
    await withStores({ DATA_DIR: place, SHARDS: inUse }, async ({ shards }) => {
      for (const shard of shards.values()) await forget(shard, 'shard_id')
    })

    await assert.rejects(prepare(readConfig(withNew('b.sqlite'))), /gives weur-1 the store of apac-1/)

    const corrected = await prepare(readConfig(withNew('c.sqlite')))
    await corrected.platform.close()
    assert.equal((await examine(withNew('c.sqlite'), Date.now)).isSound, true)
  })

  it('a malformed value is the finding', async () => {
    const { isSound, findings } = await examine({ PORT: 'eighty' }, Date.now)

    assert.equal(isSound, false)
    assert.match(wordsAbout(findings, 'configuration'), /^PORT must be a port number/)
  })

  it('an unreachable store, replica and key-value store are named', async (t) => {
    const gone = 'postgres://gate@127.0.0.1:1/gate'
    const environment = {
      DATA_DIR: await folder(t),
      DATABASE_URL: gone,
      DATABASE_REPLICA_URLS: gone,
      SHARDS: `far-1:apac=${gone}-shard`,
      KV_URL: 'redis://127.0.0.1:1',
    }

    const { findings } = await examine(environment, Date.now)

    for (const about of ['store meta', 'store far-1', 'replica of meta at 127.0.0.1:1', 'key-value store'])
      assert.match(wordsAbout(findings, about), /not available/, about)
  })

  it('stores that refuse writes are named, with what the server says', {
    skip: redis ? false : 'no redis-server or valkey-server on the path',
  }, async (t) => {
    const server = await testServer()
    const { url, drop } = await freshDatabase(server.url)
    const keyValue = await startRedis(redis ?? '')
    t.after(async () => {
      await keyValue.stop()
      await drop()
      await server.stop()
    })
    const closed = new URL(url)
    closed.searchParams.set('options', '-c default_transaction_read_only=on')
    const operator = new Redis(keyValue.url)
    await operator.replicaof('127.0.0.1', 1)
    operator.disconnect()

    const { findings } = await examine(
      { DATA_DIR: await folder(t), DATABASE_URL: closed.href, KV_URL: keyValue.url },
      Date.now,
    )

    assert.match(
      wordsAbout(findings, 'store meta'),
      /not available \(.*default_transaction_read_only is on\)/,
    )
    assert.match(wordsAbout(findings, 'key-value store'), /not available \(READONLY .*\)/)
  })

  it('a store of a newer version is wrong, and nothing is to be prepared', async (t) => {
    const environment = await preparedPlace(t)
    await withStores(environment, ({ meta }) =>
      meta.insertInto('schema_migration').values({ name: '9999-of-tomorrow', applied_at: 1 }).execute(),
    )

    const { findings } = await examine(environment, Date.now)

    assert.match(
      wordsAbout(findings, 'store meta'),
      /^answers in [\d.]+ ms; store meta has migration 9999-of-tomorrow, which this version does not know; start a newer version, [^`]+$/,
    )
  })

  it('a right that the role lacks is wrong, with the grant that gives it', async (t) => {
    const server = await testServer()
    const { url, drop } = await freshDatabase(server.url)
    const role = `narrow_${process.pid}`
    await command(url, `create schema "oc-1"; create role ${role} login`)
    t.after(async () => {
      await drop()
      await command(server.url, `drop role ${role}`)
      await server.stop()
    })
    const addresses = (of: string) => ({ DATABASE_URL: of, SHARDS: `oc-1:oc=${schemaUrl(of, 'oc-1')}` })
    const environment = { ...(await preparedPlace(t, addresses(url))), ...addresses(withRole(url, role)) }
    await command(
      url,
      `grant usage on schema "oc-1" to ${role};
       grant select, insert, update, delete on all tables in schema "oc-1", public to ${role};
       revoke update on "oc-1".credit_balance from ${role}`,
    )

    const { findings } = await examine(environment, Date.now)

    const grant = `grant select, insert, update, delete on all tables in schema "oc-1" to ${role}`
    const words = `its role lacks rights on credit_balance; as the owner, run \`${grant}\``
    assert.equal(wordsAbout(findings, 'store oc-1'), words)
    await command(url, grant)
    assert.match(wordsAbout((await examine(environment, Date.now)).findings, 'store oc-1'), /^answers in/)
  })

  it('a clock behind the data is wrong', async (t) => {
    const environment = await preparedPlace(t)

    const { findings } = await examine(environment, () => Date.now() - 3_600_000)

    assert.match(wordsAbout(findings, 'clock'), /but some data has a later time/)
  })

  it('a shard that SHARDS no longer names is wrong', async (t) => {
    const environment = await preparedPlace(t)
    const shards = readConfig(environment).shards.slice(1)

    const { findings } = await examine(
      { ...environment, SHARDS: shards.map(({ id, region, url }) => `${id}:${region}=${url}`).join(',') },
      Date.now,
    )

    assert.match(wordsAbout(findings, 'shards'), /apac-1 has data but is not in SHARDS/)
  })

  it('settings sealed under another key are named', async (t) => {
    const environment = await preparedPlace(t)
    const { platform } = await prepare(readConfig(environment))
    const sealed = { provider: 'api', api_key: platform.secretBox.seal('settings:email_api_key', 'key') }
    await platform.meta
      .updateTable('settings')
      .set({ email: JSON.stringify(sealed) })
      .execute()
    await platform.close()

    const { findings } = await examine({ ...environment, CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }, Date.now)

    assert.match(
      wordsAbout(findings, 'settings'),
      /email_api_key was sealed under another key; save it again/,
    )
  })

  it('signing keys sealed under another key are wrong, with what to do', async (t) => {
    const environment = await preparedPlace(t)
    const { platform } = await prepare(readConfig(environment))
    await makeKey(platform, 'EdDSA', 1, platform.now())
    await platform.close()

    const same = await examine(environment, Date.now)
    const other = await examine({ ...environment, CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }, Date.now)

    assert.equal(same.isSound, true)
    assert.equal(other.isSound, false)
    assert.match(wordsAbout(other.findings, 'signing keys'), /^1 sealed .* put the former .* back/)
  })

  it('a signing key that its successor has replaced needs no former key any more', async (t) => {
    const environment = await preparedPlace(t)
    const otherKey = { ...environment, CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }
    for (const [generation, env] of [environment, otherKey].entries()) {
      const { platform } = await prepare(readConfig(env))
      await makeKey(platform, 'EdDSA', generation + 1, platform.now())
      await platform.close()
    }

    const replaced = await examine(otherKey, Date.now)
    const current = await examine(environment, Date.now)

    assert.equal(wordsAbout(replaced.findings, 'signing keys'), 'nothing about signing keys')
    assert.match(wordsAbout(current.findings, 'signing keys'), /^1 sealed /)
  })

  it('test keys on a public address are wrong, and a missing TRUSTED_PROXIES is noted', async (t) => {
    const environment = {
      ...(await preparedPlace(t)),
      APP_DOMAIN: 'id.example.com',
      CHALLENGE_SITE_KEY: '1x00000000000000000000AA',
      CHALLENGE_SECRET: '1x0000000000000000000000000000000AA',
    }

    const { findings } = await examine(environment, Date.now)

    assert.match(wordsAbout(findings, 'challenge'), /published test secret/)
    assert.match(wordsAbout(findings, 'proxies'), /TRUSTED_PROXIES is not set/)
  })

  it('accounts of a former issuer are noted', async (t) => {
    const environment = await preparedPlace(t)
    const { platform } = await prepare(readConfig(environment))
    const account = { provider: 'provider_a', issuer: 'https://former.example' } as const
    await platform.meta.updateTable('account').set(account).execute()
    await platform.close()

    const { findings } = await examine(environment, Date.now)

    assert.match(
      wordsAbout(findings, 'providers'),
      /provider_a is now https:\/\/accounts\.google\.com; 1 linked/,
    )
  })

  it('damaged secrets are wrong, an open data folder is noted', async (t) => {
    const environment = await preparedPlace(t)
    await writeFile(join(environment.DATA_DIR, 'secrets.json'), '{}')
    await chmod(environment.DATA_DIR, 0o755)

    const { findings } = await examine(environment, Date.now)

    assert.match(wordsAbout(findings, 'secrets'), /is damaged; restore it from a backup/)
    assert.match(wordsAbout(findings, 'data folder'), /consider chmod 700/)
  })
})

type Findings = Awaited<ReturnType<typeof examine>>['findings']

function wordsAbout(findings: Findings, about: string): string {
  return findings.find((finding) => finding.about === about)?.words ?? `nothing about ${about}`
}

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-doctor-'))
  t.after(() => rm(path, { recursive: true }))
  return path
}

function withRole(url: string, role: string): string {
  return Object.assign(new URL(url), { username: role }).href
}

async function preparedPlace(t: TestContext, addresses: Environment = {}) {
  const environment = { DATA_DIR: await folder(t), ...addresses }
  const config = readConfig(environment)
  const stores = await openStores(config)
  await prepareStores(config, stores, Date.now, 1)
  await closeStores(stores)
  const { platform } = await prepare(config)
  await platform.close()
  return environment
}

async function withStores(environment: Environment, work: (stores: Stores) => Promise<unknown>) {
  const stores = await openStores(readConfig(environment))
  await work(stores)
  await closeStores(stores)
}
