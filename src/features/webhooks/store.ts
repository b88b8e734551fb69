import { sql } from 'kysely'
import type { WebhookTable } from '../../database/schema/webhooks.ts'
import type { Meta } from '../../database/store.ts'
import { orderEnd } from '../events/statements.ts'

/** Begins at the end of the order: what happened before is not sent. */
export function insertWebhook(meta: Meta, row: Omit<WebhookTable, 'position'>) {
  return meta.insertInto('webhook').values({ ...row, position: sql<number>`${orderEnd(meta)}` })
}

export function findWebhook(meta: Meta, id: string) {
  return meta.primary.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst()
}

export function listWebhooks(meta: Meta): Promise<WebhookTable[]> {
  return meta.primary.selectFrom('webhook').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function countWebhooks(meta: Meta): Promise<number> {
  const { count } = await meta.primary
    .selectFrom('webhook')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export function updateWebhook(meta: Meta, id: string, changes: Partial<Omit<WebhookTable, 'id'>>) {
  return meta.updateTable('webhook').set(changes).where('id', '=', id).returningAll()
}

export function deleteWebhook(meta: Meta, id: string) {
  return meta.deleteFrom('webhook').where('id', '=', id).returning('id')
}
