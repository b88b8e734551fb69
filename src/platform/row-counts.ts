import { deleteZeros, foldRowCounts } from '../database/row-counts.ts'
import { isShared } from '../database/sql/row-lock.ts'
import { HOUR_SECONDS } from '../rules/time.ts'
import type { Job } from './background.ts'
import type { Platform } from './platform.ts'

/** Without it, each day and each former kind of entry would keep a counter for ever. */
export function rowCountsSweep({ meta }: Pick<Platform, 'meta'>): Job {
  return { name: 'row-counts-sweep', everySeconds: HOUR_SECONDS, run: () => deleteZeros(meta) }
}

/** Keeps small the number of rows that a total adds up. An embedded store has counters only. */
export function rowCountsJob({ meta }: Pick<Platform, 'meta'>): Job {
  return {
    name: 'row-counts',
    everySeconds: 5,
    async run() {
      if (isShared(meta)) await foldRowCounts(meta)
    },
  }
}
