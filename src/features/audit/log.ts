import { pageWithTotal } from '../../database/sql/page-with-total.ts'
import type { Meta } from '../../database/store.ts'
import type { Job } from '../../platform/background.ts'
import type { Platform } from '../../platform/platform.ts'
import { sliceOf } from '../../rules/paging.ts'
import { DAY_MILLISECONDS, HOUR_SECONDS } from '../../rules/time.ts'
import type { ListAuditEntries } from './input.ts'
import * as store from './store.ts'

export async function listAuditEntries(meta: Meta, filter: ListAuditEntries) {
  const page = store.page(meta, filter, sliceOf(filter))
  const { items, total } = await pageWithTotal(meta, store.count(meta, filter), page, 'long')
  return { items: items.map((row) => ({ ...row, details: JSON.parse(row.details) })), total }
}

/** For the user's own export. */
export async function auditEntriesOf(meta: Meta, userId: string) {
  const rows = await store.concerning(meta, userId)
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }))
}

/** The newest sign-ins of one user, including refused ones. */
export async function signInsOf(meta: Meta, userId: string) {
  const rows = await store.signIns(meta, userId, 20)
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }))
}

/** Entries are kept for AUDIT_RETENTION_DAYS. */
export function auditSweep({ config, meta, now }: Platform): Job {
  return {
    name: 'audit-sweep',
    everySeconds: HOUR_SECONDS,
    run: () => store.deleteBefore(meta, now() - config.auditRetentionDays * DAY_MILLISECONDS),
  }
}
