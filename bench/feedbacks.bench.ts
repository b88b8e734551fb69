import { insertFeedbacks } from './feedback-rows.ts'
import { rawRequest } from './load.ts'
import { atLeast, atMost, compare, figureOf, type Measure, pick, round } from './measure.ts'
import { administratorToken, jsonCall, preparedFolder, startOurs, startPlainLists } from './ours.ts'

const ROWS = 100_000

export const measure: Measure = {
  title: `POST /api/admin/list_feedbacks, 3 × ${ROWS} rows, page 1, SQLite`,
  async run(bench) {
    await using folder = await preparedFolder()
    insertFeedbacks(folder, ROWS)
    const token = administratorToken(folder)
    await using ours = await startOurs(folder)
    await using plain = await startPlainLists(folder)
    // Idle is a server that has served: its code is compiled, its heap has the usual size.
    const check = rawRequest('GET', '/api/auth/get-session', { authorization: `Bearer ${token}` })
    await bench.generator.run({ port: ours.port, connections: 32, seconds: bench.seconds, requests: [check] })
    const idleMegabytes = ours.memoryMegabytes()
    ours.forgetPeak()

    const standings = await compare(bench, [
      {
        name: 'list_feedbacks',
        server: ours,
        load: { connections: 1, requests: [jsonCall('/api/admin/list_feedbacks', token, {})] },
      },
      {
        name: 'the plain way',
        server: plain,
        load: { connections: 1, requests: [rawRequest('POST', '/feedbacks', {}, '{}')] },
      },
    ])
    const mine = pick(standings, 'list_feedbacks')
    const grownMegabytes = ours.peakMemoryMegabytes() - idleMegabytes
    return {
      ratios: [
        atLeast(
          'against the plain way',
          round(mine.perSecond / pick(standings, 'the plain way').perSecond),
          200,
        ),
        atMost('peak memory above idle', round(grownMegabytes), 30, 'MB'),
      ],
      figures: [...standings.values()].map(figureOf),
    }
  },
}
