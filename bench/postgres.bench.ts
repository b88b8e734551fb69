import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { readConfig } from '../src/config.ts'
import { tokenHash } from '../src/features/sessions/tokens.ts'
import { prepare } from '../src/serve.ts'
import { freshDatabase, schemaUrl } from '../test/postgres.ts'
import { startCluster } from '../test/postgres-cluster.ts'
import { migratedTemplate } from '../test/postgres-template.ts'
import { Generator } from './generator.ts'
import { rawRequest } from './load.ts'
import { atLeast, compare, figureOf, type Measure, perCoreSecond, pick, round } from './measure.ts'
import { sessionToken, startOursWith, userId } from './ours.ts'
import { startServer } from './server.ts'

const USERS = 20_000
const VARIANTS = 1_000
const SHARDS = [
  ['apac-1', 'apac'],
  ['weur-1', 'weur'],
  ['oc-1', 'oc'],
] as const
const SECRETS = { AUTH_SECRET: 'b'.repeat(43), CONFIG_ENCRYPTION_KEY: 'ab'.repeat(32) }

export const measure: Measure = {
  title: `Session checks on PostgreSQL, ${USERS} users; reads with and without a bookmark; two processes`,
  async run(bench) {
    const cluster = await startCluster({ replicas: 0 })
    const server = cluster.primary.url()
    const template = await migratedTemplate(
      server,
      SHARDS.map(([id]) => id),
    )
    const database = await freshDatabase(server, template)
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
    try {
      const env = {
        DATABASE_URL: database.url,
        SHARDS: SHARDS.map(([id, region]) => `${id}:${region}=${schemaUrl(database.url, id)}`).join(),
        ...SECRETS,
      }
      const { platform } = await prepare(readConfig({ DATA_DIR: join(folder, 'first'), ...env }))
      await platform.close()
      await insertPeople(database.url)
      await using ours = await startOursWith({ DATA_DIR: join(folder, 'first'), ...env })
      await using second = await startOursWith({ DATA_DIR: join(folder, 'second'), ...env }, '1')
      await using hono = await startServer({
        command: process.execPath,
        args: ['bench/servers/hono-postgres.ts'],
        env: { DATABASE_URL: database.url },
        readyPath: '/',
      })
      const bookmark = await bookmarkOf(ours.port)
      const standings = await compare(bench, [
        { name: 'session check', server: ours, load: checks({}) },
        { name: 'with a bookmark', server: ours, load: checks({ 'x-db-meta-bookmark': bookmark }) },
        { name: 'bare Hono, one named pipelined read', server: hono, load: bareReads() },
      ])
      const together = await inTwoProcesses(bench, [ours.port, second.port])
      const check = perCoreSecond(standings, 'session check')
      const ratio = (name: string) => round(perCoreSecond(standings, name) / check)
      const bare = 'bare Hono, one named pipelined read'
      return {
        ratios: [
          atLeast('against bare Hono with one read', round(check / perCoreSecond(standings, bare)), 0.7),
          atLeast('with a bookmark against without', ratio('with a bookmark'), 0.95),
          atLeast(
            'two processes against one (needs four cores)',
            round(together / pick(standings, 'session check').perSecond),
            1.7,
          ),
        ],
        figures: [...standings.values()].map(figureOf),
      }
    } finally {
      await database.drop()
      await cluster.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

function checks(headers: Readonly<Record<string, string>>) {
  return {
    connections: 32,
    requests: Array.from({ length: VARIANTS }, (_, i) =>
      rawRequest('GET', '/api/auth/get-session', { cookie: `session=${sessionToken(i)}`, ...headers }),
    ),
  }
}

function bareReads() {
  return {
    connections: 32,
    requests: Array.from({ length: VARIANTS }, (_, i) =>
      rawRequest('GET', '/', { 'x-hash': tokenHash(sessionToken(i)) }),
    ),
  }
}

async function bookmarkOf(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/get-session`, {
    headers: { cookie: `session=${sessionToken(0)}` },
  })
  return response.headers.get('x-db-meta-bookmark') ?? ''
}

/** Both at once, half of the connections each; what they reach together. */
async function inTwoProcesses(
  { generator, seconds }: Parameters<Measure['run']>[0],
  ports: readonly number[],
): Promise<number> {
  await using other = new Generator()
  const generators = [generator, other]
  const results = await Promise.all(
    ports.map((port, i) => generators[i]?.run({ port, seconds, ...checks({}), connections: 16 })),
  )
  return results.reduce((sum, result) => sum + (result?.perSecond ?? 0), 0)
}

async function insertPeople(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const numbers = Array.from({ length: USERS }, (_, i) => i)
  const ids = numbers.map(userId)
  const hashes = numbers.map((number) => tokenHash(sessionToken(number)))
  const now = Date.now()
  await client.query(
    `insert into "user" (id, name, email, email_verified, aff_code, role, created_at, updated_at)
     select id, 'Person', id || '@example.com', 1, id, 'user', $2, $2 from unnest($1::text[]) as id`,
    [ids, now],
  )
  await client.query(
    `insert into user_shards (user_id, shard_id, created_at) select id, 'apac-1', $2 from unnest($1::text[]) as id`,
    [ids, now],
  )
  await client.query(
    `insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at)
     select id, id, hash, $3, $3, $4, $3 from unnest($1::text[], $2::text[]) as given (id, hash)`,
    [ids, hashes, now, now + 86_400_000],
  )
  await client.query('analyze')
  await client.end()
}
