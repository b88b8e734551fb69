import { sql } from 'kysely'
import { insertWhere } from '../../../../database/sql/insert-where.ts'
import { keepRowsUnchanged } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'
import { applicationsWithLogout } from '../../../access/clients/statements.ts'
import { forgetSignInsOf } from '../../../access/grants/sign-in-statements.ts'
import { orderEnd } from '../../../ground/events/statements.ts'

/** Runs after the statement that saves the application: the lane gets the new address, and ends if there is none. */
export function followLogoutUri(meta: Meta, applicationId: string, uri: string | null, now: number) {
  if (uri === null)
    return [
      meta.deleteFrom('webhook').where('application_id', '=', applicationId),
      forgetSignInsOf(meta, applicationId),
    ]
  const saved = applicationsWithLogout(meta).where('application.id', '=', applicationId)
  return [
    insertLanes(meta, saved, now).onConflict((conflict) =>
      conflict.column('application_id').doUpdateSet({ url: uri, updated_at: now }),
    ),
  ]
}

/** Runs after an import, which brings applications and no lanes. */
export function missingLanes(meta: Meta) {
  const known = meta.selectFrom('webhook').select('application_id').where('application_id', 'is not', null)
  return applicationsWithLogout(meta).where('application.id', 'not in', sql<string>`${known}`)
}

/** Writes nothing if none is missing, so that webhooks continue while the store is read-only. */
export async function addMissingLanes(meta: Meta, now: number): Promise<void> {
  await insertLanes(meta, missingLanes(meta).$call(keepRowsUnchanged(meta)), now)
    .onConflict((conflict) => conflict.column('application_id').doNothing())
    .execute()
}

/** They begin at the end of the order, like other webhooks. The applications must be changed before or locked. */
function insertLanes(meta: Meta, applications: ReturnType<typeof applicationsWithLogout>, now: number) {
  const row = {
    id: sql.ref<string>('application.id'),
    application_id: sql.ref<string>('application.id'),
    url: sql.ref<string>('application.backchannel_logout_uri'),
    types: JSON.stringify(LOGOUT_TYPES),
    enabled: 1,
    sealed: '',
    position: sql<number>`${orderEnd(meta)}`,
    created_at: now,
    updated_at: now,
    claimed_by: '',
  } as const
  return insertWhere(meta, 'webhook', row, applications)
}

/** Events that end a user's sign-in at an application. */
const LOGOUT_TYPES = ['session.ended', 'user.deleted'] as const
