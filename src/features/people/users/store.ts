import { sql } from 'kysely'
import { rowCount } from '../../../database/row-counts.ts'
import { type Condition, createdWithin } from '../../../database/sql/conditions.ts'
import type { Meta } from '../../../database/store.ts'
import { directionOf, type Order, type Slice } from '../../../rules/paging.ts'
import { foundBy } from './statements.ts'

export function anyUser(meta: Meta) {
  return meta.primary.selectFrom('user').select('id').limit(1).executeTakeFirst()
}

export interface UserFilter {
  readonly search?: string | undefined
  readonly status?: 'active' | 'unverified' | 'suspended' | undefined
  readonly factor?: 'none' | 'app' | 'passkey' | undefined
  readonly last_sign_in_start?: number | undefined
  readonly last_sign_in_end?: number | undefined
  readonly created_at_start?: number | undefined
  readonly created_at_end?: number | undefined
  readonly order: Order | 'email' | 'last_sign_in'
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
  const { search = '', status, factor, last_sign_in_start, last_sign_in_end } = filter
  return [
    ...foundBy(search),
    ...(status ? [STATUS[status]] : []),
    ...(factor ? [FACTOR[factor]] : []),
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
