import { sql } from 'kysely'
import type { Meta } from '../../../database/store.ts'
import { auditedRows } from '../../ground/events/audited-statements.ts'

export function signIns(meta: Meta, from: number, until: number) {
  const signedIn = sql`event.action = 'user.sign_in'`
  return auditedRows(meta)
    .select([
      sql<number>`count(case when ${signedIn} then 1 end)`.as('sign_ins'),
      sql<number>`count(distinct case when ${signedIn} then event.actor_id end)`.as('people'),
      sql<number>`count(case when not ${signedIn} then 1 end)`.as('refused'),
    ])
    .where('action', 'in', ['user.sign_in', 'user.sign_in_refused'])
    .where('event.created_at', '>=', from)
    .where('event.created_at', '<', until)
}
