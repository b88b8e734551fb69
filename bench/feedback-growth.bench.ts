import { insertFeedbacks } from './feedback-rows.ts'
import { atMost, compare, figureOf, type Measure, pick, round } from './measure.ts'
import { administratorToken, jsonCall, preparedFolder, startOurs, userId } from './ours.ts'

const SMALL = 10_000
const LARGE = 1_000_000
const FILTERS = { unfiltered: {}, 'by type': { type: 'idea' }, 'by user': { user_id: userId(7) } }

export const measure: Measure = {
  title: `list_feedbacks with 3 × ${LARGE} rows against 3 × ${SMALL}`,
  async run(bench) {
    await using small = await preparedFolder()
    await using large = await preparedFolder()
    insertFeedbacks(small, SMALL)
    insertFeedbacks(large, LARGE)
    const ofSmall = administratorToken(small)
    const ofLarge = administratorToken(large)
    await using smallServer = await startOurs(small)
    await using largeServer = await startOurs(large)

    const call = (token: string, filter: object) => ({
      connections: 1,
      requests: [jsonCall('/api/admin/list_feedbacks', token, filter)],
    })
    const standings = await compare(
      bench,
      Object.entries(FILTERS).flatMap(([name, filter]) => [
        { name: `${name}, ${SMALL}`, server: smallServer, load: call(ofSmall, filter) },
        { name: `${name}, ${LARGE}`, server: largeServer, load: call(ofLarge, filter) },
      ]),
    )
    return {
      ratios: Object.keys(FILTERS).map((name) =>
        atMost(
          name,
          round(
            pick(standings, `${name}, ${LARGE}`).medianMilliseconds /
              pick(standings, `${name}, ${SMALL}`).medianMilliseconds,
          ),
          1.5,
        ),
      ),
      figures: [...standings.values()].map(figureOf),
    }
  },
}
