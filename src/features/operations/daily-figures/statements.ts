import { sql } from 'kysely'
import type { Meta } from '../../../database/store.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { auditedRows } from '../../ground/events/audited-statements.ts'

const WEEK_MILLISECONDS = 7 * DAY_MILLISECONDS

/** People who signed in: the log has them of both weeks, while a session shows only its last use. */
export function activeOfWeeks(meta: Meta, now: number) {
  const inWeek = sql`event.created_at >= ${now - WEEK_MILLISECONDS}`
  return auditedRows(meta)
    .select([
      sql<number>`count(distinct case when ${inWeek} then event.actor_id end)`.as('week'),
      sql<number>`count(distinct case when not ${inWeek} then event.actor_id end)`.as('before'),
    ])
    .where('action', '=', 'user.sign_in')
    .where('event.created_at', '>=', now - 2 * WEEK_MILLISECONDS)
}
