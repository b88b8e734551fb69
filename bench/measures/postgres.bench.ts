import { tokenHash } from '../../src/rules/tokens.ts'
import { Generator } from '../load/generator.ts'
import { rawRequest } from '../load/load.ts'
import {
  atLeast,
  type Bench,
  compare,
  figureOf,
  type Measure,
  median,
  perCoreSecond,
  pick,
  round,
} from '../load/measure.ts'
import { installationOnPostgres } from '../on-postgres.ts'
import { sessionToken } from '../ours.ts'
import { insertPeople } from '../rows/postgres-rows.ts'
import { startServer } from '../server.ts'
import { assertSameBody } from './same-response.ts'

const USERS = 20_000
const VARIANTS = 5_000
const CONNECTIONS = 32
const CHECK = 'session check'
const BARE = 'bare Hono, one named pipelined read'
const SAME_READ = 'bare Hono, our statement and JSON'

export const measure: Measure = {
  title: `Session checks on PostgreSQL, ${USERS} users; two processes`,
  async run(bench) {
    await using installation = await installationOnPostgres()
    await insertPeople(installation, USERS)
    await using ours = await installation.start('first')
    await using second = await installation.start('second', '1')
    await using hono = await startServer({
      command: process.execPath,
      args: ['bench/servers/hono-postgres.ts'],
      env: { DATABASE_URL: installation.url },
      readyPath: '/',
    })
    const { store } = installation
    const headers = { cookie: `session=${sessionToken(0)}` }
    const check = { server: ours, path: '/api/auth/get-session', headers }
    await assertSameBody(check, { server: hono, path: '/session', headers })
    const results = await compare({ ...bench, core: 'shared' }, [
      { name: CHECK, server: ours, store, load: { connections: CONNECTIONS, requests: CHECKS } },
      { name: BARE, server: hono, store, load: { connections: CONNECTIONS, requests: READS } },
      { name: SAME_READ, server: hono, store, load: { connections: CONNECTIONS, requests: SAME_READS } },
    ])
    const together = await inTwoProcesses(bench, [ours.port, second.port])
    return {
      ratios: [
        atLeast(
          'against bare Hono with one read',
          round(perCoreSecond(results, CHECK) / perCoreSecond(results, BARE)),
          0.65,
        ),
        atLeast('two processes against one (needs four cores)', round(together / pick(results, CHECK).perSecond), 1.7),
      ],
      figures: [...results.values()].map(figureOf),
    }
  },
}

const CHECKS = checksAt('/api/auth/get-session')
const SAME_READS = checksAt('/session')
const READS = Array.from({ length: VARIANTS }, (_, i) =>
  rawRequest('GET', '/', { 'x-hash': tokenHash(sessionToken(i)) }),
)

function checksAt(path: string): readonly string[] {
  return Array.from({ length: VARIANTS }, (_, i) => rawRequest('GET', path, { cookie: `session=${sessionToken(i)}` }))
}

/** Both at once, half of the connections each; what they reach together. The first round warms up. */
async function inTwoProcesses({ generator, seconds, rounds }: Bench, ports: readonly number[]): Promise<number> {
  await using other = new Generator()
  const generators = [generator, other]
  const load = { connections: CONNECTIONS / 2, seconds, core: 'shared', requests: CHECKS } as const
  const together: number[] = []
  for (let round = -1; round < rounds; round++) {
    const results = await Promise.all(ports.map((port, i) => generators[i]?.run({ port, ...load })))
    if (results.some((result) => result?.failures !== 0)) throw new Error('requests were refused')
    if (round >= 0) together.push(results.reduce((sum, result) => sum + (result?.perSecond ?? 0), 0))
  }
  return median(together)
}
