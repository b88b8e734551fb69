import { rawRequest } from '../load/load.ts'
import { atLeast, atMost, compare, figureOf, type Measure, pick, round } from '../load/measure.ts'
import {
  accessToken,
  folderOf,
  HONO_ALONE,
  insertGrants,
  insertOrganizations,
  sessionToken,
  startAlone,
  startFloor,
  startOurs,
} from '../ours.ts'

const USERS = 20_000
const VARIANTS = 5_000
/** Fewer, because the use of each is written down once a minute. */
const GRANTS = 1_000
const CONNECTIONS = 32
const FLOOR = 'the floor: statement, hash, JSON and headers on node:http'
const PATH = '/api/auth/get-session'

/** GET get-session with cookie, bearer session and access token, beside what people would use instead. */
export const measure: Measure = {
  title: `GET ${PATH}, SQLite, ${USERS} users`,
  async run(bench) {
    await using folder = await folderOf(USERS)
    insertGrants(folder, GRANTS, 'operations:notifications:read')
    insertOrganizations(folder, VARIANTS / 10)
    await using ours = await startOurs(folder)
    await using floor = await startFloor(folder)
    await using bare = await startAlone(SAME_BYTES)
    await using hono = await startAlone(HONO_ALONE)

    const get = (path: string, headers: (number: number) => Record<string, string>) => ({
      connections: CONNECTIONS,
      requests: Array.from({ length: VARIANTS }, (_, i) => rawRequest('GET', path, headers(i))),
    })
    const byCookie = (i: number) => ({ cookie: `session=${sessionToken(VARIANTS + i)}` })
    const inOrganization = (i: number) => ({ cookie: `session=${sessionToken(i)}` })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const results = await compare(bench, [
      { name: 'cookie', server: ours, load: get(PATH, byCookie) },
      { name: 'cookie, in an organisation', server: ours, load: get(PATH, inOrganization) },
      { name: 'bearer session', server: ours, load: get(PATH, (i) => bearer(sessionToken(VARIANTS + i))) },
      { name: 'access token', server: ours, load: get(PATH, (i) => bearer(accessToken(i % GRANTS))) },
      { name: FLOOR, server: floor, load: get('/', byCookie) },
      { name: 'node:http, sending as many bytes', server: bare, load: get('/', byCookie) },
      { name: 'bare Hono', server: hono, load: get('/', () => ({})) },
    ])
    // By processor time: on a busy machine, the clock also measures the other work.
    const speed = (name: string, other: string) =>
      round(pick(results, other).cpuMicroseconds / pick(results, name).cpuMicroseconds)
    return {
      ratios: [
        atMost('against the floor, in processor time', speed(FLOOR, 'cookie'), 1.3),
        atLeast('in an organisation against without', speed('cookie, in an organisation', 'cookie'), 0.83),
        atLeast('bearer session against cookie', speed('bearer session', 'cookie'), 0.9),
        atLeast('access token against cookie', speed('access token', 'cookie'), 0.9),
      ],
      figures: [...results.values()].map((one) => ({
        ...figureOf(one),
        'bare Hono = 1': speed(one.name, 'bare Hono'),
      })),
    }
  },
}

const SAME_BYTES = `
  import { createServer } from 'node:http'
  const body = JSON.stringify({ text: 'x'.repeat(580) })
  const head = { 'content-type': 'application/json', 'content-length': body.length, 'x-other': 'y'.repeat(450) }
  createServer((_, response) => response.writeHead(200, head).end(body)).listen(process.env.PORT, '127.0.0.1')`
