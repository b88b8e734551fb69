import type { Meta } from '../../../database/store.ts'
import type { Belonging } from '../../tenancy/shards/belongings.ts'

export const READ_MARKS: Belonging = { table: 'notification_reads', key: 'notification_id' }

export async function countPublished(meta: Meta): Promise<number> {
  const row = await meta
    .selectFrom('notifications')
    .select((eb) => eb.fn.countAll<number>().as('published'))
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.published
}
