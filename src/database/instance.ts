import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { InstanceTable } from './schema/instance.ts'
import type { MetaTables } from './schema/tables.ts'
import type { Meta } from './store.ts'

interface WithInstance {
  instance: InstanceTable
}

/**
 * Keeps the first value written and returns it. The name is unique: the second of two writers waits for the first,
 * and gets its value.
 */
export async function keepFirst<Tables extends WithInstance>(
  store: Kysely<Tables>,
  name: string,
  value: string,
): Promise<string> {
  const row = await keptFirst(store as unknown as Kysely<WithInstance>, name, value).executeTakeFirstOrThrow()
  return row.value
}

/** Keeps the first value in a batch, locks its row and returns it. */
export function keptFirst<Tables extends WithInstance>(store: Kysely<Tables>, name: string, value: string) {
  const db = store as unknown as Kysely<WithInstance>
  return db
    .insertInto('instance')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: (eb) => eb.ref('instance.value') }))
    .returning('value')
}

export async function findKept<Tables extends WithInstance>(
  store: Kysely<Tables>,
  name: string,
): Promise<string | undefined> {
  const db = store as unknown as Kysely<WithInstance>
  const row = await db.selectFrom('instance').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

export async function forget<Tables extends WithInstance>(store: Kysely<Tables>, name: string): Promise<void> {
  const db = store as unknown as Kysely<WithInstance>
  await db.deleteFrom('instance').where('name', '=', name).execute()
}

// Used in other features' batches and queries.

export function kept(meta: Kysely<MetaTables>, name: string) {
  return meta.selectFrom('instance').select('value').where('name', '=', name)
}

/** Fails the batch if the name is taken; a process that wants the same name waits for the batch to end. */
export function failIfKept(meta: Meta, name: string) {
  return [
    meta.insertInto('instance').values({ name, value: '' }),
    meta.deleteFrom('instance').where('name', '=', name),
  ] as const
}

/** Fails a batch at `instance.value` unless the condition holds. The condition has to lock what it reads. */
export function failUnless(meta: Kysely<MetaTables>, condition: Expression<SqlBool>) {
  const nothing = [sql<string>`''`.as('name'), sql<string>`cast(null as text)`.as('value')] as const
  return meta
    .insertInto('instance')
    .columns(['name', 'value'])
    .expression(meta.selectNoFrom(nothing).where(({ not }) => not(condition)))
}

export function replaceKept(meta: Meta, name: string, value: string) {
  return meta
    .insertInto('instance')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
}
