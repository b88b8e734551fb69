import { sql } from 'kysely'
import { closeStores, openStores } from '../../src/database/stores.ts'
import { type Violation, violation } from './checker/facts.ts'
import type { World } from './worlds/world.ts'

/** One statement, so that a job's work meanwhile is in both or in neither. */
const MISSING = sql<{ kind: string; value: string; missing: number }>`
  select kind, value, cast(sum(rows) as bigint) as missing
  from (
    select 'audit_entry' as kind, action as value, count(*) as rows from event where action <> '' group by action
    union all select 'user', '', count(*) from "user"
    union all
    select 'sign_up', cast(created_at / 86400000 as text), count(*) from "user" group by created_at / 86400000
    union all
    select 'notification', '', count(*) from notifications where target_user_id is null and archived_at is null
    union all select kind, value, -total from row_counts
  ) as counted
  group by kind, value
  having sum(rows) <> 0`

/** Totals that triggers have counted, if they are not the number of rows. */
export async function miscounts({ config }: World): Promise<readonly Violation[]> {
  const stores = await openStores(config)
  try {
    const { rows } = await MISSING.execute(stores.meta.primary)
    return rows.map(({ kind, value, missing }) =>
      violation('totals are the number of rows', [], `${kind} "${value}" misses ${missing}`),
    )
  } finally {
    await closeStores(stores)
  }
}
