import { skipLockedRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'

/** Locks the rows that it finds, and leaves those in use for the next time. */
export async function deleteRequestsBefore(meta: Meta, before: number, flow?: 'device'): Promise<void> {
  const expired = meta
    .selectFrom('authorization_request')
    .select('id')
    .where('expires_at', '<=', before)
    .$if(flow !== undefined, (query) => query.where('flow', '=', 'device'))
  await meta
    .deleteFrom('authorization_request')
    .where('id', 'in', expired.$call(skipLockedRows(meta)))
    .execute()
}
