import type { Kysely } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { ApplicationRefusalTable } from '../../../database/schema/products/applications.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { isBeyondNewest } from '../../../database/sql/beyond-newest.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'

export const KEPT_REFUSALS = 100

export async function insertRefusals(meta: Meta, rows: readonly ApplicationRefusalTable[]): Promise<void> {
  const applications = [...new Set(rows.map(({ application_id }) => application_id))].toSorted()
  const trims = applications.map((applicationId) => trim(meta, { applicationId }))
  await meta.batch([meta.insertInto('application_refusal').values([...rows]), ...trims])
}

const trim = prepared({ applicationId: '' }, (db: Kysely<MetaTables>, { applicationId }) =>
  db
    .deleteFrom('application_refusal')
    .where(isBeyondNewest('application_refusal', 'application_id', applicationId, KEPT_REFUSALS)),
)

export function refusalsSince(meta: Meta, applicationId: string, since: number) {
  return meta
    .selectFrom('application_refusal')
    .selectAll()
    .where('application_id', '=', applicationId)
    .where('created_at', '>', since)
    .orderBy('id', 'desc')
    .limit(KEPT_REFUSALS)
    .execute()
}

export function deleteRefusalsBefore(meta: Meta, time: number): Promise<void> {
  return sweepRows(meta, 'application_refusal', 'id', (row) => row('created_at', '<=', time))
}
