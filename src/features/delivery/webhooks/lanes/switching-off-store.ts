import { sql } from 'kysely'
import type { Guard } from '../../../../database/guard.ts'
import type { Flag } from '../../../../database/schema/flag.ts'
import type { Meta } from '../../../../database/store.ts'

export function failingSince(meta: Meta, time: number) {
  return meta.primary
    .selectFrom('webhook')
    .select(['id', 'url'])
    .where('enabled', '=', 1)
    .where('application_id', 'is', null)
    .where('failing_since', '<=', time)
    .execute()
}

/** Of several processes that see the endpoint fail, only one succeeds. */
export function switchOff(
  meta: Meta,
  id: string,
  time: number,
  now: number,
  refused: Guard['refused'],
): Guard {
  const statement = meta
    .updateTable('webhook')
    .set({
      enabled: sql<Flag>`case when enabled = 1 and failing_since <= ${time} then 0 end`,
      switched_off_at: now,
    })
    .where('id', '=', id)
  return { statement, table: 'webhook', column: 'enabled', refused }
}
