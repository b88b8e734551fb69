import { rawRequest } from '../load/load.ts'
import { atLeast, atMost, compare, figureOf, type Measure, perCoreSecond, round } from '../load/measure.ts'
import { accessToken, insertGrants, insertPeople, preparedFolder, sessionToken, startBare, startOurs } from '../ours.ts'

const USERS = 20_000
const VARIANTS = 5_000
/** Fewer, because the use of each is written down once a minute. */
const GRANTS = 1_000
const CONNECTIONS = 32
const FLOOR = 'the floor: statement, hash, JSON and headers on node:http'

/** GET get-session with cookie, bearer session and access token, beside what people would use instead. */
export const measure: Measure = {
  title: `GET /api/auth/get-session, SQLite, ${USERS} users`,
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, USERS)
    insertGrants(folder, GRANTS, 'operations:notifications:read')
    await using ours = await startOurs(folder)
    await using floor = await startBare('floor', { DATA_DIR: folder.path })
    await using hono = await startBare('bare-hono')

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
      { name: FLOOR, server: floor, load: get('/', byCookie) },
      { name: 'bare Hono', server: hono, load: get('/', () => ({})) },
    ])
    const perSecond = (name: string) => perCoreSecond(results, name)
    const cookie = perSecond('cookie')
    return {
      ratios: [
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

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}
