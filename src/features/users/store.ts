import { type SqlBool, sql } from 'kysely'
import { rowCount } from '../../database/row-counts.ts'
import { type Condition, contains, createdWithin, equals } from '../../database/sql/conditions.ts'
import type { Meta } from '../../database/store.ts'
import { directionOf, type Order, type Slice } from '../../rules/paging.ts'

/** A literal, so that a prepared statement can use the partial index too. */
export function administrator(meta: Meta) {
  return meta.primary
    .selectFrom('user')
    .selectAll()
    .where('role', '=', sql.lit('administrator'))
    .executeTakeFirst()
}

export function rowByEmail(meta: Meta, email: string) {
  return meta.primary.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst()
}

export function anyUser(meta: Meta) {
  return meta.primary.selectFrom('user').select('id').limit(1).executeTakeFirst()
}

export function rowById(meta: Meta, id: string) {
  return meta.primary.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()
}

export interface UserFilter {
  readonly search?: string | undefined
  readonly created_at_start?: number | undefined
  readonly created_at_end?: number | undefined
  readonly order: Order | 'email'
}

export function page(meta: Meta, filter: UserFilter, { offset, limit }: Slice) {
  const rows = matching(meta, filter).selectAll().offset(offset).limit(limit)
  if (filter.order === 'email') return rows.orderBy('email')
  const direction = directionOf(filter.order)
  return rows.orderBy('created_at', direction).orderBy('id', direction)
}

/** There is a counter for all users. */
export function hasCounter(meta: Meta, filter: UserFilter): boolean {
  return conditionsOf(meta, filter).length === 0
}

export function count(meta: Meta, filter: UserFilter) {
  if (hasCounter(meta, filter)) return rowCount(meta, 'user')
  return matching(meta, filter).select((eb) => eb.fn.countAll<number>().as('total'))
}

function matching(meta: Meta, filter: UserFilter) {
  return meta.selectFrom('user').where((eb) => eb.and(conditionsOf(meta, filter)))
}

function conditionsOf(meta: Meta, filter: UserFilter): readonly Condition[] {
  const { search } = filter
  const found = [
    ...contains(meta, 'email', search),
    ...contains(meta, 'name', search),
    ...equals('id', search),
  ]
  const isFound = sql<SqlBool>`(${sql.join(found, sql` or `)})`
  return [...(found.length === 0 ? [] : [isFound]), ...createdWithin(filter)]
}
