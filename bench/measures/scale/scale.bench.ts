import { startCluster } from '../../../test/postgres/cluster.ts'
import { command, databaseUrl } from '../../../test/postgres/databases.ts'
import { atLeast, atMost, type Measure, round } from '../../load/measure.ts'
import { fillStores, globalStoreOver, listingOver } from './scale.ts'

const SETTINGS = ['fsync=on', 'shared_buffers=256MB', 'max_connections=700', 'jit=off']

/** What docs/scale.md counts with: the global store's reads and writes, the fan-out of a listing. */
export const measure: Measure = {
  title: 'One process on PostgreSQL, 50,000 users, 100,000 feedbacks, commits to disk',
  async run({ seconds }) {
    const cluster = await startCluster({ replicas: 0, settings: SETTINGS })
    try {
      const url = databaseUrl(cluster.primary.url(), 'scale')
      await command(cluster.primary.url(), 'create database scale')
      await fillStores(url)

      const one = await globalStoreOver(url, 1, seconds)
      const two = await globalStoreOver(url, 2, seconds)
      const ten = await globalStoreOver(url, 10, seconds)
      const few = await listingOver(url, 3)
      const many = await listingOver(url, 30)
      const hundreds = await listingOver(url, 300)
      return {
        ratios: [
          atLeast('sign-ins a second over ten connections against one', round(ten.writes / one.writes), 2),
          atMost('a listing over 300 shards against 3', round(hundreds.median / few.median), 100),
          atMost('milliseconds of a listing over 300 shards', round(hundreds.median), 250, 'ms'),
        ],
        figures: [one, two, ten, few, many, hundreds].map(({ figure }) => figure),
      }
    } finally {
      await cluster.stop()
    }
  },
}
