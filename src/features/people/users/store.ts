import { type AliasedRawBuilder, type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { rowCount } from '../../../database/row-counts.ts'
import { type Condition, createdWithin } from '../../../database/sql/conditions.ts'
import type { Meta } from '../../../database/store.ts'
import { directionOf, type Page, type Slice } from '../../../rules/paging.ts'
import type { ListUsers } from './input.ts'

export function anyUser(meta: Meta) {
  return meta.primary.selectFrom('user').select('id').limit(1).executeTakeFirst()
}

export interface UserFilter extends Omit<ListUsers, 'search' | 'search_among' | 'shard_id' | keyof Page> {
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

/** A column that another feature adds to each row of a page. */
export type Added = (userId: Expression<string>) => AliasedRawBuilder<string | null, 'shard_id'>

export function page(meta: Meta, filter: UserFilter, { offset, limit }: Slice, added: Added) {
  const users = matching(meta, filter).selectAll().$call(inOrder(filter)).offset(offset).limit(limit)
  // The column is added to the page only: an embedded store fills columns before it sorts.
  return meta
    .selectFrom(users.as('page'))
    .selectAll('page')
    .select(added(sql.ref('page.id')))
    .$call(inOrder(filter))
}

/** The matches among the first users. Whole rows are read for the page only. */
export function pageAmongFirst(meta: Meta, filter: UserFilter, { offset, limit }: Slice, users: number, added: Added) {
  const ids = matching(meta, filter, users).select('id').$call(inOrder(filter)).offset(offset).limit(limit)
  return meta
    .selectFrom('user')
    .selectAll('user')
    .select(added(sql.ref('user.id')))
    .where('id', 'in', ids)
    .$call(inOrder(filter))
}

/** A counter exists for all users, but for no filter. */
export function hasCounter(filter: UserFilter): boolean {
  return conditionsOf(filter).length === 0
}

export function count(meta: Meta, filter: UserFilter, among?: number) {
  if (hasCounter(filter)) return rowCount(meta, 'user')
  return matching(meta, filter, among).select((eb) => eb.fn.countAll<number>().as('total'))
}

/** Counts no further than `among`. */
export function countFirst(meta: Meta, filter: UserFilter, among: number) {
  return meta
    .selectFrom(firstUsers(meta, filter, among).as('user'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
}

function matching(meta: Meta, filter: UserFilter, among?: number) {
  const users = among === undefined ? meta.selectFrom('user').selectAll() : firstUsers(meta, filter, among)
  return meta.selectFrom(users.as('user')).where((eb) => eb.and(conditionsOf(filter)))
}

/** Keeps to the order of an index, so that no further users are read. */
function firstUsers(meta: Meta, filter: UserFilter, users: number) {
  return meta
    .selectFrom('user')
    .selectAll()
    .where((eb) => eb.and(rangeOf(filter)))
    .$call(inOrder(filter))
    .limit(users)
}

function inOrder({ order }: UserFilter) {
  const direction = order === 'last_sign_in' ? 'desc' : directionOf(order === 'email' ? 'oldest' : order)
  const columns = order === 'email' ? ['email'] : [COLUMN[order], 'id']
  return <Tables, Table extends keyof Tables, Row>(query: SelectQueryBuilder<Tables, Table, Row>) =>
    columns.reduce((ordered, column) => ordered.orderBy(sql.ref(column), direction), query)
}

const COLUMN = { newest: 'created_at', oldest: 'created_at', last_sign_in: 'last_sign_in_at' } as const

/** The conditions on what the list is ordered by. */
export function rangeOf(filter: UserFilter): readonly Condition[] {
  if (filter.order === 'email') return []
  return filter.order === 'last_sign_in' ? signedIn(filter) : createdWithin(filter)
}

export function conditionsOf(filter: Omit<UserFilter, 'order'>): readonly Condition[] {
  const { found, status, factor } = filter
  return [
    ...found,
    ...(status ? [STATUS[status]] : []),
    ...(factor ? [FACTOR[factor]] : []),
    ...createdWithin(filter),
    ...signedIn(filter),
  ]
}

/** Users who never signed in match no date range. */
function signedIn(filter: Omit<UserFilter, 'order'>): readonly Condition[] {
  const { last_sign_in_start: start, last_sign_in_end: end, never_signed_in: never } = filter
  if (never !== undefined) return [never ? sql<SqlBool>`last_sign_in_at = 0` : sql<SqlBool>`last_sign_in_at > 0`]
  if (start === undefined && end === undefined) return []
  const range = { created_at_start: Math.max(start ?? 1, 1), created_at_end: end }
  return createdWithin(range, 'last_sign_in_at')
}
