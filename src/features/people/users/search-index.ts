import { findKept, replaceKept } from '../../../database/instance.ts'
import { type Job, restingFor } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { ALL, USERS_IN_INDEX } from './searching.ts'
import * as store from './store.ts'

// An embedded store takes a tenth of a millisecond for each.
const USERS_AT_ONCE = 100

/** Users and progress are written in one commit, so any number of processes can add users and stop at any line. */
export function searchIndexJob({ meta, background }: Pick<Platform, 'meta' | 'background'>): Job {
  const rest = restingFor(9)
  return {
    name: 'search-index',
    everySeconds: 600,
    atStart: true,
    async run() {
      const done = (await findKept(meta.primary, USERS_IN_INDEX)) ?? ''
      if (done === ALL) return
      const last = await store.lastOfNext(meta, done, USERS_AT_ONCE)
      const progress = replaceKept(meta, USERS_IN_INDEX, last ?? ALL)
      await meta.batch(last === undefined ? [progress] : [store.addToSearchIndex(meta, done, last), progress])
      background.wake('search-index')
      await rest()
    },
  }
}
