import type { Decision, Query, Rows } from '../../../database/decision.ts'
import type { UserTable } from '../../../database/schema/people/users.ts'
import type { Condition } from '../../../database/sql/conditions.ts'
import { lengthOf, pageWithTotal } from '../../../database/sql/page-with-total.ts'
import type { Meta } from '../../../database/store.ts'
import { sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { ListUsers } from './input.ts'
import { foundBy } from './searching.ts'
import { findUser, lockedUser } from './statements.ts'
import * as store from './store.ts'

export async function anyUserExists(meta: Meta): Promise<boolean> {
  return (await store.anyUser(meta)) !== undefined
}

/** `also` are conditions on what other features know of a user. */
export async function listUsers(
  meta: Meta,
  { search, ...listed }: Omit<ListUsers, 'shard_id'>,
  also: readonly Condition[] = [],
) {
  const filter = { ...listed, found: [...(await foundBy(meta, search)), ...also] }
  const slice = sliceOf(filter)
  const page = store.page(meta, filter, slice)
  const length = store.hasCounter(filter) ? lengthOf(slice) : 'long'
  return pageWithTotal(meta, store.count(meta, filter), page, length)
}

export async function getUser(meta: Meta, id: string) {
  const user = await findUser(meta, id)
  if (!user) throw unknownUser()
  return user
}

/** Decides about a user, whose row is locked first. Refuses if there is none. */
export function decideAboutUser<const Queries extends readonly Query[], T>(
  meta: Meta,
  id: string,
  first: Queries,
  work: (decision: Decision, user: UserTable, ...rows: Rows<Queries>) => Promise<T>,
): Promise<T> {
  return meta.decide([lockedUser(meta, id), ...first], async (decision, [user], ...rows) => {
    if (!user) throw unknownUser()
    return work(decision, user, ...(rows as unknown as Rows<Queries>))
  })
}

export function unknownUser(): Refusal {
  return new Refusal('NOT_FOUND', 'This user does not exist.')
}
