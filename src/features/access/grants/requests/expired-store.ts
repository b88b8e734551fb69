import { skipLockedRows } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'

/** A device that still polls is then refused, because its code is unknown. */
export function deleteDeviceRequestsBefore(meta: Meta, before: number): Promise<void> {
  return deleteFound(meta, expired(meta, before).where('flow', '=', 'device'))
}

export function deleteRequestsBefore(meta: Meta, before: number): Promise<void> {
  return deleteFound(meta, expired(meta, before))
}

function expired(meta: Meta, before: number) {
  return meta.selectFrom('authorization_request').select('id').where('expires_at', '<=', before)
}

/** Locks the rows that it finds, and leaves those in use for the next time. */
async function deleteFound(meta: Meta, found: ReturnType<typeof expired>): Promise<void> {
  await meta
    .deleteFrom('authorization_request')
    .where('id', 'in', found.$call(skipLockedRows(meta)))
    .execute()
}
