import type { Kysely } from 'kysely'
import { prepared, statement } from '../../../database/prepared.ts'
import type { GrantActTable } from '../../../database/schema/products/approvals.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { isBeyondNewest } from '../../../database/sql/beyond-newest.ts'
import { pageWithTotal } from '../../../database/sql/page-with-total.ts'
import type { Meta } from '../../../database/store.ts'
import type { Slice } from '../../../rules/paging.ts'

/** A grant's list is bounded, however long it works. */
export const KEPT_ACTS = 1_000
/** One act of so many drops what is behind them: looking each time would cost as much as ten acts. */
const TRIMMED_ONCE_IN = 64
/** The statement is built once for each number up to this one. */
const IN_ONE_STATEMENT = 20

/** Returns the acts that are no longer in the lists. */
export async function insertActs(meta: Meta, acts: readonly GrantActTable[]) {
  const parts = Array.from({ length: Math.ceil(acts.length / IN_ONE_STATEMENT) }, (_, i) =>
    acts.slice(i * IN_ONE_STATEMENT, (i + 1) * IN_ONE_STATEMENT),
  )
  const grown = new Set(acts.filter(isTrimDue).map(({ grant_id }) => grant_id))
  const trims = [...grown].toSorted().map((grantId) => trim(meta, { grantId }))
  const rows = await meta.batch([...parts.map((part) => insertSome(meta, ...part)), ...trims])
  return trims.flatMap((trim) => rows.of(trim))
}

const insertSome = statement((db: Kysely<MetaTables>, ...acts: readonly GrantActTable[]) =>
  db.insertInto('grant_act').values([...acts]),
)

/** The end of an id is random. */
function isTrimDue({ id }: GrantActTable): boolean {
  return Number.parseInt(id.slice(-4), 16) % TRIMMED_ONCE_IN === 0
}

const trim = prepared({ grantId: '' }, (db: Kysely<MetaTables>, { grantId }) =>
  db
    .deleteFrom('grant_act')
    .where(isBeyondNewest('grant_act', 'grant_id', grantId, KEPT_ACTS))
    .returning(['grant_id', 'created_at']),
)

/** The newest are found by their ids, and ordered by their times: another process can write earlier ones a second later. */
export function actsPage(meta: Meta, grantId: string, { offset, limit }: Slice) {
  const newest = meta.selectFrom('grant_act').where('grant_id', '=', grantId).orderBy('id', 'desc').limit(KEPT_ACTS)
  const kept = meta.selectFrom(newest.selectAll().as('kept'))
  return pageWithTotal(
    meta,
    kept.select((eb) => eb.fn.countAll<number>().as('total')),
    kept.selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').offset(offset).limit(limit),
  )
}

/** By their ids, which follow the time. */
export function newestActs(meta: Meta, atMost: number) {
  return meta.selectFrom('grant_act').selectAll().orderBy('id', 'desc').limit(atMost).execute()
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
