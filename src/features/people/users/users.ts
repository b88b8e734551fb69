import type { Condition } from '../../../database/sql/conditions.ts'
import { lengthOf, pageWithTotal } from '../../../database/sql/page-with-total.ts'
import type { Meta } from '../../../database/store.ts'
import type { SignedInCall } from '../../../http/route.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { refuseColleague } from '../../../rules/staff.ts'
import type { ListUsers } from './input.ts'
import { foundBy } from './searching.ts'
import { findUser, membership } from './statements.ts'
import * as store from './store.ts'

export async function anyUserExists(meta: Meta): Promise<boolean> {
  return (await store.anyUser(meta)) !== undefined
}

/** In a larger store, a search reads all users only on request. */
const SMALL_STORE = 10_000
/** The users that it reads otherwise: about the work of an index lookup in a small store. */
const READ_AT_MOST = 3_000

/** `added` is a column and `also` are conditions that other features contribute. */
export async function listUsers(
  meta: Meta,
  { search, search_among, ...listed }: Omit<ListUsers, 'shard_id'>,
  added: store.Added,
  also: readonly Condition[] = [],
) {
  const { conditions, toRead = 0 } = await foundBy(meta, search, search_among)
  const filter = { ...listed, found: [...conditions, ...also] }
  if (search_among === 'first' && toRead > SMALL_STORE) return searchedAmongFirst(meta, filter, added)
  const slice = sliceOf(filter)
  const page = store.page(meta, filter, slice, added)
  const length = store.hasCounter(filter) ? lengthOf(slice) : 'long'
  return pageWithTotal(meta, store.count(meta, filter), page, length)
}

/**
 * Reads no further than the page needs if there are more: `total` then only says whether another page follows. Past the
 * last page it is the number of matches, so that the last page can be found.
 */
async function searchedAmongFirst(meta: Meta, filter: store.UserFilter & Page, added: store.Added) {
  const slice = sliceOf(filter)
  const { offset, limit } = slice
  const exact = () =>
    pageWithTotal(
      meta,
      store.count(meta, filter, READ_AT_MOST),
      store.pageAmongFirst(meta, filter, slice, READ_AT_MOST, added),
      'long',
    )
  if (store.rangeOf(filter).length > 0) {
    const [[first]] = await meta.snapshot([store.countFirst(meta, filter, READ_AT_MOST)])
    if (first && first.total < READ_AT_MOST) return exact()
  }
  const page = store.pageAmongFirst(meta, filter, { offset, limit: limit + 1 }, READ_AT_MOST, added)
  const [rows] = await meta.snapshot([page], 'routed', 'long')
  if (offset > 0 && rows.length === 0) return { ...(await exact()), searched: READ_AT_MOST }
  return { items: rows.slice(0, limit), total: offset + rows.length, searched: READ_AT_MOST }
}

export async function getUser(meta: Meta, id: string) {
  const user = await findUser(meta, id)
  if (!user) throw unknownUser()
  return user
}

/** Refuses staff who would change a colleague's data elsewhere than in the user's row, which `decideAboutUser` locks. */
export async function refuseForColleague({ platform, caller }: SignedInCall, id: string): Promise<void> {
  if (caller.user.role === 'administrator' || caller.user.id === id) return
  const user = await membership(platform.meta.primary, id).executeTakeFirst()
  if (user) refuseColleague(caller.user, user)
}

export function unknownUser(): Refusal {
  return new Refusal('NOT_FOUND', 'This user does not exist.')
}
