import { rawRequest } from '../../load/load.ts'
import { atMost, compare, figureOf, type Measure, pick, round } from '../../load/measure.ts'
import { administratorToken, jsonCall, preparedFolder, startOurs, startPlainLists, userId } from '../../ours.ts'
import { insertFeedbacks } from '../../rows/feedback-rows.ts'

const SIZES = [10_000, 100_000, 1_000_000] as const
const FILTERS = { unfiltered: {}, 'by type': { type: 'idea' }, 'by user': { user_id: userId(7) } }
/** More rows take minutes, and the line is already straight. */
const PLAIN_UP_TO = 100_000
const PLAIN = 'the plain way'

export const measure: Measure = {
  title: 'POST /api/admin/list_feedbacks, page 1, with 3 × 10,000 to 3 × 1,000,000 rows',
  async run(bench) {
    await using stack = new AsyncDisposableStack()
    const contenders = []
    for (const rows of SIZES) {
      const folder = stack.use(await preparedFolder())
      insertFeedbacks(folder, rows)
      const token = administratorToken(folder)
      const server = stack.use(await startOurs(folder))
      for (const [name, filter] of Object.entries(FILTERS)) {
        const requests = [jsonCall('/api/admin/list_feedbacks', token, filter)]
        contenders.push({ name: nameOf(name, rows), server, load: { connections: 1, requests } })
      }
      if (rows > PLAIN_UP_TO) continue
      const plain = stack.use(await startPlainLists(folder))
      const requests = [rawRequest('POST', '/feedbacks', {}, '{}')]
      contenders.push({ name: nameOf(PLAIN, rows), server: plain, load: { connections: 1, requests } })
    }
    const results = await compare(bench, contenders)
    const cost = (name: string, rows: number) => pick(results, nameOf(name, rows)).cpuMicroseconds
    const [small, , large] = SIZES
    return {
      ratios: Object.keys(FILTERS).map((name) => atMost(name, round(cost(name, large) / cost(name, small)), 1.5)),
      figures: [...results.values()].map(figureOf),
      series: [...Object.keys(FILTERS), PLAIN].map((name) => ({
        name: `list_feedbacks ${name}, rows`,
        points: SIZES.filter((rows) => name !== PLAIN || rows <= PLAIN_UP_TO).map((rows) => [
          rows * 3,
          cost(name, rows) / 1_000,
        ]),
      })),
    }
  },
}

function nameOf(filter: string, rows: number): string {
  return `${filter}, 3 × ${rows}`
}
