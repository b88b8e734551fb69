import type { Job } from '../../../platform/background.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../../rules/time.ts'
import * as store from './store.ts'

/** Entries are kept for AUDIT_RETENTION_DAYS. */
export function auditSweep({ config, meta, now }: Platform): Job {
  return {
    name: 'audit-sweep',
    everySeconds: HOUR_SECONDS,
    run: () => store.deleteBefore(meta, now() - config.auditRetentionDays * DAY_MILLISECONDS),
  }
}
