import type { Compilable } from 'kysely'
import type { BatchRows } from '../../../database/batch-rows.ts'
import { lengthOf, pageWithTotal } from '../../../database/sql/page-with-total.ts'
import type { Meta } from '../../../database/store.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { lockUser } from './statements.ts'
import * as store from './store.ts'

/** Undefined only before the first preparation has created the administrator. */
export function findAdministrator(meta: Meta) {
  return store.administrator(meta)
}

export function findUserByEmail(meta: Meta, email: string) {
  return store.rowByEmail(meta, email)
}

export async function anyUserExists(meta: Meta): Promise<boolean> {
  return (await store.anyUser(meta)) !== undefined
}

export function listUsers(meta: Meta, filter: store.UserFilter & Page) {
  const slice = sliceOf(filter)
  const page = store.page(meta, filter, slice)
  const length = store.hasCounter(filter) ? lengthOf(slice) : 'long'
  return pageWithTotal(meta, store.count(meta, filter), page, length)
}

export function findUser(meta: Meta, id: string) {
  return store.rowById(meta, id)
}

export async function getUser(meta: Meta, id: string) {
  const user = await findUser(meta, id)
  if (!user) throw unknownUser()
  return user
}

/** A batch about one user, whose row is locked first. Refuses if the user was deleted meanwhile. */
export async function batchAboutUser(
  meta: Meta,
  id: string,
  statements: readonly Compilable<unknown>[],
): Promise<BatchRows> {
  const lock = lockUser(meta, id)
  const rows = await meta.batch([lock, ...statements])
  if (rows.of(lock).length === 0) throw unknownUser()
  return rows
}

export function unknownUser(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such user.')
}
