import { type SqlBool, sql } from 'kysely'
import { rowCount } from '../../../database/row-counts.ts'
import { type Condition, createdWithin } from '../../../database/sql/conditions.ts'
import { isShared } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import { directionOf, type Page, type Slice } from '../../../rules/paging.ts'
import type { ListUsers } from './input.ts'
import { searchedText } from './searching.ts'

export function anyUser(meta: Meta) {
  return meta.primary.selectFrom('user').select('id').limit(1).executeTakeFirst()
}

interface UserFilter extends Omit<ListUsers, 'search' | 'shard_id' | keyof Page> {
  readonly found: readonly Condition[]
}

const STATUS: Readonly<Record<NonNullable<UserFilter['status']>, Condition>> = {
  suspended: sql`suspended_at is not null`,
  unverified: sql`suspended_at is null and email_verified = 0`,
  active: sql`suspended_at is null and email_verified = 1`,
}

const FACTOR: Readonly<Record<NonNullable<UserFilter['factor']>, Condition>> = {
  none: sql`factors = ''`,
  app: sql`factors in ('totp', 'totp passkey')`,
  passkey: sql`factors in ('passkey', 'totp passkey')`,
}

export function page(meta: Meta, filter: UserFilter, { offset, limit }: Slice) {
  const rows = matching(meta, filter).selectAll().offset(offset).limit(limit)
  if (filter.order === 'email') return rows.orderBy('email')
  if (filter.order === 'last_sign_in') return rows.orderBy('last_sign_in_at', 'desc').orderBy('id', 'desc')
  const direction = directionOf(filter.order)
  return rows.orderBy('created_at', direction).orderBy('id', direction)
}

/** There is a counter for all users. */
export function hasCounter(filter: UserFilter): boolean {
  return conditionsOf(filter).length === 0
}

export function count(meta: Meta, filter: UserFilter) {
  if (hasCounter(filter)) return rowCount(meta, 'user')
  return matching(meta, filter).select((eb) => eb.fn.countAll<number>().as('total'))
}

function matching(meta: Meta, filter: UserFilter) {
  return meta.selectFrom('user').where((eb) => eb.and(conditionsOf(filter)))
}

function conditionsOf(filter: UserFilter): readonly Condition[] {
  const { found, status, factor, last_sign_in_start, last_sign_in_end, never_signed_in: never } = filter
  return [
    ...found,
    ...(status ? [STATUS[status]] : []),
    ...(factor ? [FACTOR[factor]] : []),
    ...(never === undefined
      ? []
      : [never ? sql<SqlBool>`last_sign_in_at = 0` : sql<SqlBool>`last_sign_in_at > 0`]),
    ...createdWithin(filter),
    ...signedInWithin(last_sign_in_start, last_sign_in_end),
  ]
}

/** Who never signed in is in no range. */
function signedInWithin(start: number | undefined, end: number | undefined): readonly Condition[] {
  if (start === undefined && end === undefined) return []
  const range = { created_at_start: Math.max(start ?? 1, 1), created_at_end: end }
  return createdWithin(range, 'last_sign_in_at')
}

/** The last id of some users after this one; undefined after the last user. */
export async function lastOfNext(meta: Meta, after: string, atMost: number): Promise<string | undefined> {
  const next = meta.primary
    .selectFrom('user')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(atMost)
  const row = await meta.primary
    .selectFrom(next.as('next'))
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirst()
  return row?.last ?? undefined
}

/** On PostgreSQL it locks each of them, so none is deleted before the commit. */
export function addToSearchIndex(meta: Meta, after: string, last: string) {
  const users = meta
    .selectFrom('user')
    .select(['id', searchedText(meta).as('text')])
    .where('id', '>', after)
    .where('id', '<=', last)
    .$if(isShared(meta), (query) => query.forKeyShare())
  return meta
    .insertInto('user_search')
    .columns(['user_id', 'text'])
    .expression(users)
    .onConflict((conflict) => conflict.doNothing())
}
