import type { Kysely } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'

/** A decision that reads them has locked them. */
export function allScopes(meta: Meta) {
  return meta.selectFrom('product_scope').selectAll().orderBy('scope')
}

export async function declaredScopes({ primary }: Meta): Promise<ReadonlySet<string>> {
  const rows = await primary.run(namesOfAll(primary, {}))
  return new Set(rows.map(({ scope }) => scope))
}

const namesOfAll = prepared({}, (db: Kysely<MetaTables>) => db.selectFrom('product_scope').select('scope'))

export function scopesAmong(meta: Meta, scopes: readonly string[]) {
  return meta.primary.selectFrom('product_scope').selectAll().where('scope', 'in', scopes).execute()
}

export function lockScopes(meta: Meta) {
  return meta.selectFrom('product_scope').select('scope').orderBy('scope').$call(lockRows(meta))
}

/** Runs after `lockScopes`: a locking query does not see what was inserted while it waited. */
export function countScopes(meta: Meta) {
  return meta.selectFrom('product_scope').select((eb) => eb.fn.countAll<number>().as('scopes'))
}

/** Returns no row if the scope, which is unique, is already declared with another description. */
export function declareScope(meta: Meta, scope: string, description: string, now: number) {
  return meta
    .insertInto('product_scope')
    .values({ scope, description, created_at: now })
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet({ description }).where('product_scope.description', '=', description),
    )
    .returning('scope')
}

export function describeScope(meta: Meta, scope: string, description: string) {
  return meta.updateTable('product_scope').set({ description }).where('scope', '=', scope)
}

export function lockedScope(meta: Meta, scope: string) {
  return meta.selectFrom('product_scope').select('scope').where('scope', '=', scope).$call(lockRows(meta))
}

export function deleteScope(meta: Meta, scope: string) {
  return meta.deleteFrom('product_scope').where('scope', '=', scope)
}
