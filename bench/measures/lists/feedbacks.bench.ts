import type { Measure } from '../../load/measure.ts'
import { administratorToken, preparedFolder, startHandWritten, startOurs, startPlainLists } from '../../ours.ts'
import { insertFeedbacks } from '../../rows/feedback-rows.ts'
import { compareListing, ROWS_IN_SHARD } from './feedbacks.ts'

export const measure: Measure = {
  title: `POST /api/admin/list_feedbacks, 3 × ${ROWS_IN_SHARD} rows, page 1, SQLite`,
  async run(bench) {
    await using folder = await preparedFolder()
    insertFeedbacks(folder, ROWS_IN_SHARD)
    const token = administratorToken(folder)
    await using ours = await startOurs(folder)
    await using plain = await startPlainLists(folder)
    await using handWritten = await startHandWritten(folder)
    return await compareListing(bench, { ours, token, plain, handWritten, timesFaster: 200 })
  },
}
