import type { CreatedKey } from '../../database/sql/conditions.ts'
import { lengthOf, pageWithTotal } from '../../database/sql/page-with-total.ts'
import type { Meta } from '../../database/store.ts'
import { sliceOf } from '../../rules/paging.ts'
import type { ListAuditEntries } from './input.ts'
import * as store from './store.ts'

export async function listAuditEntries(meta: Meta, filter: ListAuditEntries) {
  const slice = sliceOf(filter)
  const page = store.page(meta, filter, slice)
  const length = store.hasCounter(meta, filter) ? lengthOf(slice) : 'long'
  const { items, total } = await pageWithTotal(meta, store.count(meta, filter), page, length)
  return { items: items.map((row) => ({ ...row, details: JSON.parse(row.details) })), total }
}

/** For the user's own export: what was done by or to this user; oldest first. */
export function auditEntriesAfter(meta: Meta, userId: string, after: CreatedKey | undefined, limit: number) {
  return store.concerningAfter(meta, userId, after, limit)
}

/** The newest sign-ins of one user, including refused ones. */
export async function signInsOf(meta: Meta, userId: string) {
  const rows = await store.signIns(meta, userId, 20)
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }))
}

/** As far back as entries are kept. */
export async function wasErased(meta: Meta, userId: string): Promise<boolean> {
  const erased = {
    action: 'user.erased',
    subject_id: userId,
    page: 1,
    page_size: 1,
    order: 'newest',
  } as const
  const { total } = await listAuditEntries(meta, erased)
  return total > 0
}
