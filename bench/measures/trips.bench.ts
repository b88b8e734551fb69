import { startCluster } from '../../test/postgres/cluster.ts'
import { type Cost, trace } from '../../test/trips/tracing.ts'
import type { Figure, Measure } from '../load/measure.ts'

/** `test/trips/trips.test.ts` holds each act to its figures. */
export const measure: Measure = {
  title: 'Round trips to stores and source files of each act',
  async run() {
    const onSqlite = await trace()
    const cluster = await startCluster({ replicas: 0 })
    try {
      const onPostgres = await trace(cluster.primary.url())
      return { ratios: [], figures: onSqlite.map((cost, i) => figureOf(cost, onPostgres[i])) }
    } finally {
      await cluster.stop()
    }
  },
}

function figureOf({ act, trips, files, features, repeated }: Cost, onPostgres: Cost | undefined): Figure {
  return {
    what: act,
    'trips, SQLite': trips,
    'trips, PostgreSQL': onPostgres?.trips ?? '',
    'sent again': repeated.length,
    files,
    'of them features': features,
  }
}
