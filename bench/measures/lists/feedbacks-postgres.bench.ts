import type { Measure } from '../../load/measure.ts'
import { installationOnPostgres } from '../../on-postgres.ts'
import { administratorToken, insertFeedbacks } from '../../rows/postgres-rows.ts'
import { startServer } from '../../server.ts'
import { compareListing, ROWS_IN_SHARD } from './feedbacks.ts'

export const measure: Measure = {
  title: `POST /api/admin/list_feedbacks, 3 × ${ROWS_IN_SHARD} rows, page 1, PostgreSQL`,
  async run(bench) {
    await using installation = await installationOnPostgres()
    await insertFeedbacks(installation, ROWS_IN_SHARD)
    const token = await administratorToken(installation)
    await using ours = await installation.start('first')
    await using plain = await startServer({
      command: process.execPath,
      args: ['bench/servers/plain-lists-postgres.ts'],
      env: { SHARD_URLS: installation.shardUrls.join() },
      readyPath: '/',
    })
    const { store } = installation
    const listing = { ours, store, token, plain, timesFaster: 100 }
    return await compareListing({ ...bench, core: 'shared' }, listing)
  },
}
