import type { Kysely } from 'kysely'
import { statement } from '../../../database/prepared.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'

/** The id of a deleted organisation is not free until its last row is gone. Takes no lock: an id is deleted once. */
export const remainsOf = statement((db: Kysely<MetaTables>, id: string) =>
  db.selectFrom('organization_remains').select('id').where('id', '=', id),
)

export function nextRemains({ primary }: Meta) {
  return primary.selectFrom('organization_remains').selectAll().orderBy('id').limit(1).executeTakeFirst()
}

/** Deletes what a team or an organisation has left, little by little. It can stop at any line and begin again. */
export async function deleteRemains(meta: Meta, { id, kind }: { readonly id: string; readonly kind: string }) {
  if (kind === 'team') await sweepRows(meta, 'team_member', 'id', (row) => row('team_id', '=', id))
  else await deleteRowsOf(meta, id)
  await meta.deleteFrom('organization_remains').where('id', '=', id).execute()
}

async function deleteRowsOf(meta: Meta, id: string): Promise<void> {
  await sweepRows(meta, 'member_role', 'member_id', (row) => row('organization_id', '=', id))
  const teams = meta.selectFrom('team').select('team.id').where('team.organization_id', '=', id)
  await sweepRows(meta, 'team_member', 'id', (row) => row('team_id', 'in', teams))
  await sweepRows(meta, 'member', 'id', (row) => row('organization_id', '=', id))
  await sweepRows(meta, 'team', 'id', (row) => row('organization_id', '=', id))
  await sweepRows(meta, 'organization_role', 'id', (row) => row('organization_id', '=', id))
  await sweepRows(meta, 'organization_invitation', 'id', (row) => row('organization_id', '=', id))
}
