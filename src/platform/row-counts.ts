import { foldRowCounts } from '../database/row-counts.ts'
import { isShared } from '../database/sql/row-lock.ts'
import { type Meta, type Shard, StoreUnavailable } from '../database/store.ts'
import type { Job } from './background.ts'
import type { Platform } from './platform.ts'

/** Keeps the number of rows small that a total adds up. An embedded store has counters only. */
export function rowCountsJob({ meta, shards, log }: Pick<Platform, 'meta' | 'shards' | 'log'>): Job {
  const fold = async (store: Meta | Shard) => {
    try {
      await foldRowCounts(store).execute()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      log.warn({ error, store: store.name }, 'totals cannot be added up now')
    }
  }
  return {
    name: 'row-counts',
    everySeconds: 5,
    async run() {
      const stores: readonly (Meta | Shard)[] = [meta, ...shards.values()]
      await Promise.all(stores.filter(isShared).map(fold))
    },
  }
}
