import type { Kysely } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { GrantActTable } from '../../../database/schema/products/approvals.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { isBeyondNewest } from '../../../database/sql/beyond-newest.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import type { Meta } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'

/** A grant's list is bounded, however long it works. */
export const KEPT_ACTS = 1_000

/** Returns the acts that are no longer in the lists. */
export async function insertActs(meta: Meta, acts: readonly GrantActTable[]) {
  const grants = [...new Set(acts.map(({ grant_id }) => grant_id))].toSorted()
  const trims = grants.map((grantId) => trim(meta, { grantId }))
  const rows = await meta.batch([meta.insertInto('grant_act').values([...acts]), ...trims])
  return trims.flatMap((trim) => rows.of(trim))
}

const trim = prepared({ grantId: '' }, (db: Kysely<MetaTables>, { grantId }) =>
  db
    .deleteFrom('grant_act')
    .where(isBeyondNewest('grant_act', 'grant_id', grantId, KEPT_ACTS))
    .returning(['grant_id', 'created_at']),
)

export function actsPage(meta: Meta, grantId: string, { offset, limit }: Slice) {
  const ofGrant = meta.selectFrom('grant_act').where('grant_id', '=', grantId)
  return pageWithTotal(
    meta,
    ofGrant.select((eb) => eb.fn.countAll<number>().as('total')),
    ofGrant.selectAll().orderBy('id', 'desc').offset(offset).limit(limit),
  )
}

export async function countActsSince(meta: Meta, grantId: string, since: number): Promise<number> {
  const { acts } = await meta.primary
    .selectFrom('grant_act')
    .select((eb) => eb.fn.countAll<number>().as('acts'))
    .where('grant_id', '=', grantId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return acts
}
