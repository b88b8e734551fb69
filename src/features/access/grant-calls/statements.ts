import { sweepRows } from '../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../database/store.ts'
import type { GrantIds } from '../grants/statements.ts'

/** Runs before the grants are deleted, whose cascades would delete all their acts at once. */
export function deleteActsOf(meta: Meta, grantIds: GrantIds): Promise<void> {
  return sweepRows(meta, 'grant_act', 'id', (row) => row('grant_id', 'in', grantIds))
}
