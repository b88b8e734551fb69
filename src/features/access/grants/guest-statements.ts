import { type SqlBool, sql } from 'kysely'
import type { Meta } from '../../../database/store.ts'
import {
  deleteApplicationsWithout,
  guestsBefore,
  lockApplications,
  surplusRegistrations,
} from '../clients/statements.ts'

const GUESTS_AT_ONCE = 500

/**
 * Deletes clients that no user has a connection to. Giving access locks the application's row: the deletion sees an
 * earlier grant, and a later one finds no application.
 */
export async function deleteUnusedGuests(meta: Meta, before: Parameters<typeof guestsBefore>[1]): Promise<void> {
  const old = await guestsBefore(meta, before, GUESTS_AT_ONCE)
  await deleteUnused(
    meta,
    old.map(({ id }) => id),
  )
}

/** Many more than are in progress at once, and few enough to read in a millisecond. */
const MOST_UNUSED_REGISTRATIONS = 500

/**
 * Makes room for another registration. A client whose user is being asked is in use; once the rows are locked, their
 * grants are checked again.
 */
export async function letRegistrationsGiveWay(meta: Meta, now: number): Promise<void> {
  const surplus = await surplusRegistrations(
    meta,
    MOST_UNUSED_REGISTRATIONS - 1,
    (id) => sql<SqlBool>`(
      exists (select 1 from api_grant where api_grant.client_id = ${id})
      or exists (
        select 1 from authorization_request
        where authorization_request.client_id = ${id} and authorization_request.expires_at > ${now}
      )
    )`,
  )
  await deleteUnused(meta, surplus)
}

async function deleteUnused(meta: Meta, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await meta.batch([
    lockApplications(meta).where('application.id', 'in', ids).orderBy('application.id'),
    deleteApplicationsWithout(
      meta,
      ids,
      meta.selectFrom('api_grant').select('api_grant.client_id').where('api_grant.client_id', 'in', ids),
    ),
  ])
}
