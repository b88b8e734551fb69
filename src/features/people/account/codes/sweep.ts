import type { Job } from '../../../../platform/background.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { HOUR_MILLISECONDS } from '../../../../rules/time.ts'
import { CHANGE_KEPT_MILLISECONDS, deleteOldEmailChanges } from '../../users/email-changes.ts'
import { dayOf } from './codes.ts'
import * as store from './store.ts'

const KEPT_AFTER_EXPIRY_MILLISECONDS = HOUR_MILLISECONDS

/** Dead codes stay for an hour, so that they can be distinguished from wrong ones. */
export function mailedCodeSweep({ meta, now }: Platform): Job {
  return {
    name: 'code-sweep',
    everySeconds: 600,
    async run() {
      await deleteOldEmailChanges(meta, now() - CHANGE_KEPT_MILLISECONDS)
      await store.deleteDeadCodes(meta, now() - KEPT_AFTER_EXPIRY_MILLISECONDS)
      await store.deleteOldGuesses(meta, dayOf(now()), now())
      await store.deleteOldLetterCounts(meta, dayOf(now()))
    },
  }
}
