import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { describe, it } from 'vitest'
import { ConfigError, type Environment, readConfig } from './config.ts'
import { listValues } from './listing.ts'

describe('deployment values', () => {
  it('none is needed: localhost, files in ./data, three shards and the published test pair', () => {
    const config = readConfig({})

    const { baseUrl, host, port, dataDir, shards, challengeSecret, logFormat } = config
    assert.deepEqual([baseUrl, host, port], ['http://localhost:5173', '127.0.0.1', 5173])
    assert.equal(dataDir, resolve('data'))
    const placed = shards.map(({ id, region }) => `${id}:${region}`)
    assert.deepEqual(placed, ['apac-1:apac', 'weur-1:weur', 'oc-1:oc'])
    assert.deepEqual([challengeSecret, logFormat], ['1x0000000000000000000000000000000AA', 'json'])
  })

  it('a domain means https, all addresses, and no test pair', () => {
    const config = readConfig({ APP_DOMAIN: 'id.example.com' })

    const { baseUrl, host, isLocal, challengeSiteKey } = config
    const expected = ['https://id.example.com', '0.0.0.0', false, undefined]
    assert.deepEqual([baseUrl, host, isLocal, challengeSiteKey], expected)
  })

  it('PUBLIC_URL decides the public address, and without it localhost has the port', () => {
    const local = readConfig({ PORT: '5273' })
    const proxied = readConfig({ PUBLIC_URL: 'https://id.example.com:8443/', PORT: '5273' })
    const encrypted = readConfig({ PUBLIC_URL: 'https://localhost:8443' })

    assert.equal(local.baseUrl, 'http://localhost:5273')
    assert.deepEqual(
      [proxied.baseUrl, proxied.isLocal, proxied.isHttps, proxied.host],
      ['https://id.example.com:8443', false, true, '0.0.0.0'],
    )
    assert.deepEqual([encrypted.isLocal, encrypted.isHttps, encrypted.host], [true, true, '127.0.0.1'])
  })

  it('METRICS_PORT and PORT are two ports', () => {
    assert.equal(
      complaint({ PORT: '5273', METRICS_PORT: '5273' }),
      'METRICS_PORT is 5273, and so is PORT; they need two different ports',
    )
  })

  it('what Kubernetes injects for services called database, metrics and app is left alone', () => {
    const injected = {
      DATABASE_SERVICE_HOST: '10.96.0.11',
      DATABASE_SERVICE_PORT: '5432',
      DATABASE_SERVICE_PORT_SQL: '5432',
      DATABASE_PORT: 'tcp://10.96.0.11:5432',
      DATABASE_PORT_5432_TCP: 'tcp://10.96.0.11:5432',
      DATABASE_PORT_5432_TCP_PROTO: 'tcp',
      DATABASE_PORT_5432_TCP_PORT: '5432',
      DATABASE_PORT_5432_TCP_ADDR: '10.96.0.11',
      APP_SERVICE_HOST: '10.96.0.12',
      APP_PORT: 'tcp://10.96.0.12:80',
      METRICS_SERVICE_HOST: '10.96.0.13',
      METRICS_PORT: 'tcp://10.96.0.13:9090',
    }

    const config = readConfig(injected)

    assert.equal(config.metricsPort, undefined)
  })

  it('logs are pretty on a terminal unless LOG_FORMAT says otherwise', () => {
    assert.equal(readConfig({}, { isTTY: true }).logFormat, 'pretty')
    assert.equal(readConfig({ LOG_FORMAT: 'json' }, { isTTY: true }).logFormat, 'json')
  })

  it('shards are read as id:region=url with replicas', () => {
    const { shards } = readConfig({
      SHARDS: 'apac-1:apac=postgres://one/a|postgres://two/a, weur-1:weur=/srv/weur.sqlite',
    })

    assert.deepEqual(shards, [
      { id: 'apac-1', region: 'apac', url: 'postgres://one/a', replicaUrls: ['postgres://two/a'] },
      { id: 'weur-1', region: 'weur', url: '/srv/weur.sqlite', replicaUrls: [] },
    ])
  })

  it('an empty value counts as absent', () => {
    assert.equal(readConfig({ DATABASE_URL: '', APP_NAME: '' }).databaseUrl, undefined)
  })

  const malformed: Readonly<Record<string, readonly string[]>> = {
    OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318'],
    OTEL_EXPORTER_OTLP_HEADERS: ['authorization', 'a b=c', 'authorization=%'],
    APP_DOMAIN: ['https://id.example.com'],
    APP_NAME: ['a'.repeat(65), 'two\nlines', 'Acme\u202egro.live', '\u200b\u2800'],
    PORT: ['65536', '80a', '0'],
    DRAIN_SECONDS: ['6', '-1'],
    USER_LIMIT_FACTOR: ['1001', '0'],
    AUDIT_RETENTION_DAYS: ['100000', '0'],
    PUBLIC_URL: [
      ...['id.example.com', 'https://id.example.com/login', 'http://id.example.com'],
      ...['https://*.example.com', 'https://ann:secret@id.example.com'],
    ],
    HOST: ['a b'],
    METRICS_PORT: ['-1'],
    SYSTEM_EMAIL: ['nobody'],
    DATABASE_URL: [
      ...['mysql://host/db', 'postgres://a,:5432/db', 'postgres://a:b,c/db'],
      'postgres://a,b/db?target_session_attrs=standby',
    ],
    DATABASE_REPLICA_URLS: ['nonsense'],
    SHARDS: [
      ...['apac-1', 'meta:apac=/a.sqlite', 'a:apac=/a.sqlite,a:weur=/b.sqlite'],
      ...['a:apac=/a.sqlite,b:weur=/a.sqlite', 'a:apac=/a.sqlite|postgres://replica/a'],
      ...['a:apac=/a.sqlite,b'],
    ],
    KV_URL: [
      ...['http://cache', 'redis://:hunter%2@cache', 'redis-sentinel://a,b', 'redis-sentinel://a,,b/name'],
      'redis-sentinel://:hunter%2@a,b/name',
    ],
    SHARDS_WITHOUT: ['apac-1:apac=/a.sqlite', 'oc-1'],
    AUTH_SECRET: ['a'.repeat(31)],
    CONFIG_ENCRYPTION_KEY: ['not-hexadecimal', 'a'.repeat(63), 'a'.repeat(65)],
    SMTP_URL: ['mail.example.com'],
    EMAIL_API_URL: ['ftp://x'],
    CHALLENGE_VERIFY_URL: ['x'],
    PROVIDER_A: ['myspace'],
    PROVIDER_B: ['oidc:nowhere'],
    COMMUNITY_AUTH_URL: ['community'],
    CONTINENT_HEADER: ['two words'],
    TRUSTED_PROXIES: ['10.0.0.0/33', '10.0.0.1:8080'],
    WEBHOOK_NETWORKS: ['::ffff:10.0.0.0/8', '0:0:0:0:0:FFFF:a00:0/8'],
    TRUSTED_ORIGINS: ['https://app.example.com/path', 'https://*.example.com'],
    DOCS: ['no'],
    LOG_LEVEL: ['loud'],
    LOG_FORMAT: ['xml'],
  }
  it.for(Object.entries(malformed))('a malformed %s is one line that names it', ([name, values]) => {
    for (const value of values) assert.match(complaint({ [name]: value }), new RegExp(`^${name} [^\n]+$`), value)
  })

  it('a value at the edge of its range is accepted', () => {
    const least = { PORT: '1', DRAIN_SECONDS: '0', USER_LIMIT_FACTOR: '1', AUDIT_RETENTION_DAYS: '1' }
    const numbers = { PORT: '65535', DRAIN_SECONDS: '5', USER_LIMIT_FACTOR: '1000' }
    const texts = { APP_NAME: 'a'.repeat(64), AUTH_SECRET: 'a'.repeat(32) }

    assert.equal(readConfig(least).port, 1)
    assert.equal(readConfig({ ...numbers, ...texts, AUDIT_RETENTION_DAYS: '99999' }).port, 65_535)
  })

  it('the bits of an IPv4 network that is written as IPv6 are those of IPv6', () => {
    const words = complaint({ TRUSTED_PROXIES: '::ffff:10.0.0.0/8' })
    const { trustedProxies } = readConfig({ TRUSTED_PROXIES: '::ffff:10.0.0.0/104,fc00::/7,fe80::1%eth0' })

    assert.equal(
      words,
      'TRUSTED_PROXIES has an IPv4-mapped network with fewer than 96 bits: ::ffff:10.0.0.0/8; write it as IPv4, such as 10.0.0.0/8',
    )
    assert.deepEqual(trustedProxies, ['::ffff:10.0.0.0/104', 'fc00::/7', 'fe80::1%eth0'])
  })

  it('an address can have several hosts; a comma begins another shard only before its name', () => {
    const meta = 'postgres://gate:secret@a:5432,b:5433/meta?target_session_attrs=read-write'
    const shard = 'postgres://c,d:5432/apac'
    const config = readConfig({
      DATABASE_URL: meta,
      SHARDS: `apac-1:apac=${shard}|postgres://e/apac, weur-1:weur=postgres://f/weur,`,
      KV_URL: 'redis-sentinel://:hunter2@one,two:26380/store/2?sentinel_password=hunter2',
    })

    assert.equal(config.databaseUrl, meta)
    assert.deepEqual(
      config.shards.map(({ id, url, replicaUrls }) => [id, url, replicaUrls]),
      [
        ['apac-1', shard, ['postgres://e/apac']],
        ['weur-1', 'postgres://f/weur', []],
      ],
    )
    const listed = JSON.stringify(listValues(config, {}))
    assert.doesNotMatch(listed, /secret@|hunter2/)
  })

  it('an unknown provider is refused with a list of all that can be set', () => {
    const words = complaint({ PROVIDER_A: 'myspace' })

    const urls = ['oidc:<issuer url>', 'github:<url>', 'gitlab:<url>', 'microsoft:<url>']
    for (const known of ['google', 'discord', ...urls]) assert.ok(words.includes(known), known)
  })

  it('a misspelt or unknown name of ours is refused and the nearest one offered', () => {
    const offered = 'DATABSE_URL is not a known value; did you mean DATABASE_URL?'
    assert.equal(complaint({ DATABSE_URL: 'x' }), offered)
    assert.match(complaint({ SMTP_HOST: 'mail' }), /^SMTP_HOST is not a known value; did you mean SMTP_URL/)
    assert.match(complaint({ log_level: 'info' }), /^log_level .* LOG_LEVEL/)
  })

  it("other programs' values are left alone", () => {
    readConfig({ HOME: '/root', HOSTNAME: 'box', LOGNAME: 'ann', PATH: '/bin', NODE_ENV: 'production' })
  })

  it('a shard cannot be the global store itself', () => {
    const url = 'postgres://db/gate'

    const shared = { DATABASE_URL: url, SHARDS: `apac-1:apac=${url}` }
    assert.match(complaint(shared), /^SHARDS names DATABASE_URL itself/)
  })

  it('a value that needs another one is refused without it', () => {
    const replicas = { DATABASE_REPLICA_URLS: 'postgres://two/a' }
    assert.match(complaint(replicas), /^DATABASE_REPLICA_URLS .* DATABASE_URL/)
    assert.match(complaint({ CHALLENGE_SITE_KEY: 'k' }), /^CHALLENGE_SITE_KEY .* CHALLENGE_SECRET/)
    assert.match(complaint({ CHALLENGE_SECRET: 'k' }), /^CHALLENGE_SECRET .* CHALLENGE_SITE_KEY/)
  })
})

it('the list of values in force names each value and its source, and shows no secret', () => {
  const environment = {
    AUTH_SECRET: 'a-secret-of-more-than-thirty-two-letters',
    DATABASE_URL: 'postgres://gate:hunter2@db.example.com/gate?password=hunter2',
    KV_URL: 'redis://:hunter2@cache:6379',
    SHARDS: 'apac-1:apac=postgres://gate:hunter2@one/a',
    CHALLENGE_SITE_KEY: 'site',
    CHALLENGE_SECRET: 'hunter2-challenge',
  }

  const values = listValues(readConfig(environment), environment)

  assert.doesNotMatch(JSON.stringify(values), /hunter2|thirty-two/)
  const listed = (sought: string) => values.find(({ name }) => name === sought)
  const masked = 'postgres://gate:••••@db.example.com/gate?password=••••'
  assert.deepEqual(listed('DATABASE_URL'), { name: 'DATABASE_URL', value: masked, source: 'environment' })
  assert.equal(listed('PORT')?.source, 'default')
  assert.equal(listed('CONFIG_ENCRYPTION_KEY')?.source, 'generated')
})

function complaint(environment: Environment): string {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new assert.AssertionError({ message: 'nothing was refused' })
}
