import { createHash, createHmac } from 'node:crypto'
import { join } from 'node:path'
import { rawRequest } from '../../load/load.ts'
import { atLeast, compare, figureOf, type Measure, perCoreSecond, round } from '../../load/measure.ts'
import {
  accessToken,
  insertGrants,
  insertPeople,
  preparedFolder,
  sessionToken,
  startBare,
  startOurs,
} from '../../ours.ts'
import { startServer } from '../../server.ts'

const USERS = 20_000
const VARIANTS = 1_000
const CONNECTIONS = 32
const SECRET = 'a secret for the benchmark that is long enough'

/** GET get-session with cookie, bearer session and access token, beside what people would use instead. */
export const measure: Measure = {
  title: `GET /api/auth/get-session, SQLite, ${USERS} users`,
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, USERS)
    insertGrants(folder, VARIANTS, 'operations:notifications:read')
    await using ours = await startOurs(folder)
    await using betterAuth = await startBetterAuth(join(folder.path, 'better-auth.sqlite'))
    await using hono = await startBare('bare-hono')
    await using node = await startBare('bare-node')

    const get = (path: string, headers: (number: number) => Record<string, string>) => ({
      connections: CONNECTIONS,
      requests: Array.from({ length: VARIANTS }, (_, i) => rawRequest('GET', path, headers(i))),
    })
    const path = '/api/auth/get-session'
    const standings = await compare(bench, [
      { name: 'cookie', server: ours, load: get(path, (i) => ({ cookie: `session=${sessionToken(i)}` })) },
      { name: 'bearer session', server: ours, load: get(path, (i) => bearer(sessionToken(i))) },
      { name: 'access token', server: ours, load: get(path, (i) => bearer(accessToken(i))) },
      { name: 'Better Auth', server: betterAuth, load: get(path, (i) => ({ cookie: betterAuthCookie(i) })) },
      { name: 'bare Hono', server: hono, load: get('/', () => ({})) },
      { name: 'bare node:http', server: node, load: get('/', () => ({})) },
    ])
    const perSecond = (name: string) => perCoreSecond(standings, name)
    const cookie = perSecond('cookie')
    return {
      ratios: [
        atLeast('against Better Auth', round(cookie / perSecond('Better Auth')), 10),
        atLeast('against bare Hono', round(cookie / perSecond('bare Hono')), 0.4),
        atLeast('bearer session against cookie', round(perSecond('bearer session') / cookie), 0.9),
        atLeast('access token against cookie', round(perSecond('access token') / cookie), 0.9),
      ],
      figures: [...standings.values()].map(figureOf),
    }
  },
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

function startBetterAuth(file: string) {
  return startServer({
    command: process.execPath,
    args: ['bench/peers/better-auth.js'],
    env: { DATABASE_FILE: file, USERS: String(USERS), SECRET },
    readyPath: '/ready',
  })
}

/** Its cookie is the token and an HMAC over it. */
function betterAuthCookie(number: number): string {
  const token = createHash('sha256').update(`session ${number}`).digest('base64url')
  const signature = createHmac('sha256', SECRET).update(token).digest('base64')
  return `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`
}
