import { type Cost, trace } from '../../test/trips/tracing.ts'
import type { Figure, Measure } from '../load/measure.ts'
import { emptyStores } from '../on-postgres.ts'

/** `test/trips/trips.test.ts` holds each act to its figures. */
export const measure: Measure = {
  title: 'Round trips to stores and source files of each act',
  async run() {
    await using stores = await emptyStores()
    const [onSqlite, onPostgres] = [await trace(), await trace(stores.url)]
    return { ratios: [], figures: onSqlite.map((cost, i) => figureOf(cost, onPostgres[i])) }
  },
}

function figureOf({ act, trips, files, features, repeated }: Cost, onPostgres: Cost | undefined): Figure {
  const onEach = { 'trips, SQLite': trips, 'trips, PostgreSQL': onPostgres?.trips ?? '' }
  return { what: act, ...onEach, 'sent again': repeated.length, files, 'of them features': features }
}
