import { rawRequest } from './load.ts'
import { atLeast, compare, figureOf, type Measure, pick, round } from './measure.ts'
import { insertPeople, preparedFolder, sessionToken, startOurs } from './ours.ts'

const FEW = 1_000
const MANY = 1_000_000

export const measure: Measure = {
  title: `GET /api/auth/get-session with ${MANY} users and sessions against ${FEW}`,
  async run(bench) {
    await using few = await preparedFolder()
    await using many = await preparedFolder()
    insertPeople(few, FEW)
    insertPeople(many, MANY)
    await using fewServer = await startOurs(few)
    await using manyServer = await startOurs(many)

    const standings = await compare(bench, [
      { name: `${FEW} users`, server: fewServer, load: checks(FEW) },
      { name: `${MANY} users`, server: manyServer, load: checks(MANY) },
    ])
    const ratio = pick(standings, `${MANY} users`).perSecond / pick(standings, `${FEW} users`).perSecond
    return {
      ratios: [atLeast('many against few', round(ratio), 0.85)],
      figures: [...standings.values()].map(figureOf),
    }
  },
}

/** A thousand different people, spread over all there are. */
function checks(users: number) {
  return {
    connections: 32,
    requests: Array.from({ length: 1_000 }, (_, i) =>
      rawRequest('GET', '/api/auth/get-session', {
        cookie: `session=${sessionToken(i * Math.floor(users / 1_000))}`,
      }),
    ),
  }
}
