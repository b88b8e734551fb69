import { inParts } from '../../../database/in-parts.ts'
import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../rules/time.ts'
import { positionAt } from './order.ts'
import * as store from './store.ts'

/** Events are kept for EVENT_RETENTION_DAYS, whatever the audit log keeps. */
export function eventSweep({ config, meta, now }: Platform): Job {
  return {
    name: 'event-sweep',
    everySeconds: HOUR_SECONDS,
    async run() {
      const before = positionAt(now() - config.eventRetentionDays * DAY_MILLISECONDS)
      await store.noteSwept(meta, before)
      await inParts((atMost) => meta.batch(store.endEventsBefore(meta, before, atMost)))
    },
  }
}
