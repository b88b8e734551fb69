import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import { rawRequest } from '../load/load.ts'
import { atLeast, atMost, compare, figureOf, type Measure, perCoreSecond, round } from '../load/measure.ts'
import {
  accessToken,
  insertGrants,
  insertPeople,
  preparedFolder,
  sessionToken,
  startBare,
  startFloor,
  startOurs,
} from '../ours.ts'
import { type Server, startServer } from '../server.ts'
import { assertSameResponse } from '../servers/same-response.ts'

const USERS = 20_000
const VARIANTS = 5_000
/** Fewer, because the use of each is written down once a minute. */
const GRANTS = 1_000
const CONNECTIONS = 32
const FLOOR = 'the floor: statement, hash, JSON and headers on node:http'
const CACHING = 'Better Auth, cookie cache'
const SECRET = 'a secret for the benchmark that is long enough'

/** GET get-session with cookie, bearer session and access token, beside what people would use instead. */
export const measure: Measure = {
  title: `GET /api/auth/get-session, SQLite, ${USERS} users`,
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, USERS)
    insertGrants(folder, GRANTS, 'operations:notifications:read')
    await using ours = await startOurs(folder)
    await using floor = await startFloor(folder)
    await using betterAuth = await startBetterAuth(join(folder.path, 'better-auth.sqlite'))
    await using caching = await startBetterAuth(join(folder.path, 'caching.sqlite'), { COOKIE_CACHE: 'on' })
    const cached = await cachedCookies(caching)
    await using hono = await startBare('bare-hono')

    await assertSameWork(ours, floor)

    const get = (path: string, headers: (number: number) => Record<string, string>) => ({
      connections: CONNECTIONS,
      requests: Array.from({ length: VARIANTS }, (_, i) => rawRequest('GET', path, headers(i))),
    })
    const path = '/api/auth/get-session'
    const byCookie = (i: number) => ({ cookie: `session=${sessionToken(i)}` })
    const results = await compare(bench, [
      { name: 'cookie', server: ours, load: get(path, byCookie) },
      { name: 'bearer session', server: ours, load: get(path, (i) => bearer(sessionToken(i))) },
      { name: 'access token', server: ours, load: get(path, (i) => bearer(accessToken(i % GRANTS))) },
      { name: 'Better Auth', server: betterAuth, load: get(path, (i) => ({ cookie: betterAuthCookie(i) })) },
      { name: CACHING, server: caching, load: get(path, (i) => ({ cookie: cached[i] ?? '' })) },
      { name: FLOOR, server: floor, load: get('/', byCookie) },
      { name: 'bare Hono', server: hono, load: get('/', () => ({})) },
    ])
    const perSecond = (name: string) => perCoreSecond(results, name)
    const cookie = perSecond('cookie')
    return {
      ratios: [
        atLeast('against Better Auth', round(cookie / perSecond('Better Auth')), 10),
        atLeast('against Better Auth with its cookie cache', round(cookie / perSecond(CACHING)), 1),
        atMost('against the floor, in processor time', round(perSecond(FLOOR) / cookie), 1.3),
        atLeast('bearer session against cookie', round(perSecond('bearer session') / cookie), 0.9),
        atLeast('access token against cookie', round(perSecond('access token') / cookie), 0.9),
      ],
      figures: [
        ...[...results.values()].map((result) => ({
          ...figureOf(result),
          'bare Hono = 1': round(perSecond(result.name) / perSecond('bare Hono')),
        })),
      ],
    }
  },
}

/** The floor returns all that ours does. */
async function assertSameWork(ours: Server, floor: Server): Promise<void> {
  const headers = { cookie: `session=${sessionToken(VARIANTS - 1)}` }
  const check = { server: ours, path: '/api/auth/get-session', headers }
  await assertSameResponse(check, { server: floor, path: '/', headers })
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

/** Cookies that its response to each user's first request sets, in addition to the token. */
async function cachedCookies({ port }: Server): Promise<readonly string[]> {
  const cookies: string[] = []
  for (let i = 0; i < VARIANTS; i++) {
    const token = betterAuthCookie(i)
    const answer = await fetch(`http://127.0.0.1:${port}/api/auth/get-session`, {
      headers: { cookie: token },
    })
    const set = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
    const data = set.find((cookie) => cookie.startsWith('better-auth.session_data='))
    if (data === undefined) throw new Error('Better Auth does not cache the session in a cookie')
    if (!(await answer.text()).includes(`"person-${i}@example.com"`)) throw new Error('not the user asked for')
    cookies.push(`${token}; ${data}`)
  }
  return cookies
}

function startBetterAuth(file: string, env: Readonly<Record<string, string>> = {}) {
  return startServer({
    command: process.execPath,
    args: ['bench/peers/better-auth.js'],
    env: { DATABASE_FILE: file, USERS: String(USERS), SECRET, ...env },
    readyPath: '/ready',
  })
}

/** Its cookie is the token and an HMAC over it. */
function betterAuthCookie(number: number): string {
  const token = createHash('sha256').update(`session ${number}`).digest('base64url')
  const signature = createHmac('sha256', SECRET).update(token).digest('base64')
  return `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`
}
