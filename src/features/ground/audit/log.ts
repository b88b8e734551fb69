import { isIP } from 'node:net'
import { lengthOf, pageWithTotal } from '../../../database/sql/page-with-total.ts'
import type { Meta } from '../../../database/store.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { foundBy } from '../../people/users/searching.ts'
import { refusedHash } from './audit.ts'
import type { ListAuditEntries } from './input.ts'
import * as store from './store.ts'

type Subject = Pick<Row, 'subject_type' | 'subject_id'>

/** What the entries are about is in tables of other features. */
export type NamesOfSubjects = (meta: Meta, entries: readonly Subject[]) => Promise<ReadonlyMap<string, string>>

/** Each entry has the name of its target, if that still exists. */
export async function listNamedEntries(
  platform: Pick<Platform, 'meta' | 'signer'>,
  namesOfSubjects: NamesOfSubjects,
  filter: ListAuditEntries,
) {
  const { items, total } = await listAuditEntries(platform, filter)
  const names = await namesOfSubjects(platform.meta, items)
  return { items: items.map((entry) => ({ ...entry, subject_name: names.get(entry.subject_id ?? '') ?? null })), total }
}

export async function listAuditEntries(
  { meta, signer }: Pick<Platform, 'meta' | 'signer'>,
  { search, ...filter }: ListAuditEntries,
) {
  const found = search
    ? {
        users: (await foundBy(meta, search)).conditions,
        hash: refusedHash(signer, search.toLowerCase()),
        ip: ipSearched(search),
      }
    : undefined
  return listed(meta, { ...filter, found })
}

const IP = /^(\d{1,3}\.[\d.]*|[\da-f]{1,4}:[\da-f:.]*)$/i

/** A pattern for an IP address, or for all that begin with this text. */
function ipSearched(search: string): string | undefined {
  if (!IP.test(search)) return undefined
  return isIP(search) ? search.toLowerCase() : `${search.toLowerCase()}%`
}

async function listed(meta: Meta, filter: store.AuditFilter & Page) {
  const slice = sliceOf(filter)
  const page = store.page(meta, filter, slice)
  const length = store.hasCounter(meta, filter) ? lengthOf(slice) : 'long'
  const { items, total } = await pageWithTotal(meta, store.count(meta, filter), page, length)
  return { items: await mapInTurns(items, shown), total }
}

type Row = Awaited<ReturnType<ReturnType<typeof store.page>['execute']>>[number]

function shown({ tried_address, details, ...row }: Row) {
  const address = tried_address === null ? {} : { address: tried_address }
  return { ...row, details: { ...JSON.parse(details), ...address } }
}

/** The newest sign-ins of one user, including refused ones. */
export async function signInsOf(meta: Meta, userId: string) {
  const rows = await store.signIns(meta, userId, 20)
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }))
}

/** Looks as far back as entries are kept. */
export async function wasErased(meta: Meta, userId: string): Promise<boolean> {
  const erased = {
    action: 'user.erased',
    subject_id: userId,
    page: 1,
    page_size: 1,
    order: 'newest',
  } as const
  const { total } = await listed(meta, erased)
  return total > 0
}
