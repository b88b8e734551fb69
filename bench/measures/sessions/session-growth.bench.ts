import { rawRequest } from '../../load/load.ts'
import { atLeast, compare, figureOf, type Measure, pick, round } from '../../load/measure.ts'
import { insertPeople, preparedFolder, sessionToken, startOurs } from '../../ours.ts'

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
    const standings = await compare(bench, contenders)
    // By processor time: with one core it is the rate, and other work on the machine does not change it.
    const cost = (users: number) => pick(standings, `${users} users`).cpuMicroseconds
    return {
      ratios: [atLeast('1,000,000 against 1,000', round(cost(SIZES[0]) / cost(SIZES[3])), 0.85)],
      figures: [...standings.values()].map(figureOf),
      series: [
        {
          name: 'session check, users',
          points: SIZES.map((users) => [users, cost(users) / 1_000]),
        },
      ],
    }
  },
}

/** A thousand different people, spread over all there are. */
function checks(users: number, connections: number) {
  return {
    connections,
    requests: Array.from({ length: 1_000 }, (_, i) =>
      rawRequest('GET', '/api/auth/get-session', {
        cookie: `session=${sessionToken(i * Math.floor(users / 1_000))}`,
      }),
    ),
  }
}
