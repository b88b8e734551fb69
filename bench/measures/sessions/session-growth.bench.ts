import { rawRequest } from '../../load/load.ts'
import { atLeast, compare, figureOf, type Measure, pick, round } from '../../load/measure.ts'
import { insertPeople, preparedFolder, sessionToken, startOurs } from '../../ours.ts'

const MOST_REQUESTS = 100_000
/** Prime, so that every user has a turn. */
const STEP = 7_919
const SIZES = [1_000, 10_000, 100_000, 1_000_000] as const

export const measure: Measure = {
  title: 'GET /api/auth/get-session with 1,000 to 1,000,000 users and sessions',
  async run(bench) {
    await using stack = new AsyncDisposableStack()
    const contenders = []
    for (const users of SIZES) {
      const folder = stack.use(await preparedFolder())
      insertPeople(folder, users)
      const server = stack.use(await startOurs(folder))
      contenders.push({ name: `${users} users`, server, load: checks(users, 8) })
    }
    const results = await compare(bench, contenders)
    // By processor time: with one core it is the rate, and other work on the machine does not change it.
    const cost = (users: number) => pick(results, `${users} users`).cpuMicroseconds
    return {
      ratios: [atLeast('1,000,000 against 1,000', round(cost(SIZES[0]) / cost(SIZES[3])), 0.85)],
      figures: [...results.values()].map(figureOf),
      series: [
        {
          name: 'session check, users',
          points: SIZES.map((users) => [users, cost(users) / 1_000]),
        },
      ],
    }
  },
}

/** Up to a hundred thousand different users, in an order that no cache could predict. */
function checks(users: number, connections: number) {
  return {
    connections,
    requests: Array.from({ length: Math.min(users, MOST_REQUESTS) }, (_, i) =>
      rawRequest('GET', '/api/auth/get-session', { cookie: `session=${sessionToken((i * STEP) % users)}` }),
    ),
  }
}
