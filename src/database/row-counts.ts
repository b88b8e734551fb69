import { type Kysely, type SqlBool, sql } from 'kysely'
import type { RowCountsTable } from './schema/instance.ts'
import type { MetaTables } from './schema/tables.ts'
import { skipLockedRows } from './sql/row-lock.ts'
import type { Meta } from './store.ts'

type Kind = RowCountsTable['kind']

const total = sql<number>`cast(coalesce(sum(total), 0) as bigint)`.as('total')

/** Exact at the moment of its snapshot; without a value, the sum over all values. */
export function rowCount(db: Kysely<MetaTables>, kind: Kind, value?: string) {
  return db
    .selectFrom('row_counts')
    .select(total)
    .where('kind', '=', kind)
    .$if(value !== undefined, (query) => query.where('value', '=', value ?? ''))
}

export function rowCountsOf(db: Kysely<MetaTables>, kind: Kind, values: readonly string[]) {
  return db
    .selectFrom('row_counts')
    .select(['value', total])
    .where('kind', '=', kind)
    .where('value', 'in', values)
    .groupBy('value')
}

/** A larger batch could exceed the statement timeout and never be added up. */
const PARTS_AT_ONCE = 10_000

/** Adds the parts to their counters, however many there are. */
export async function foldRowCounts(meta: Meta): Promise<void> {
  let folded: number
  do {
    const counters = await foldParts(meta).execute()
    folded = counters[0]?.folded ?? 0
  } while (folded >= PARTS_AT_ONCE)
}

/**
 * One statement, so that every snapshot has the sum either in parts or in the counter. Parts that another process is
 * adding up are left to it. The key is unique: the conflict locks the counter before it changes.
 */
function foldParts(meta: Meta) {
  return meta
    .with('parts', (db) =>
      db
        .deleteFrom('row_counts')
        .where(sql<SqlBool>`ctid = any (array(${someParts(meta)}))`)
        .returning(['kind', 'value', 'total']),
    )
    .insertInto('row_counts')
    .columns(['kind', 'value', 'part', 'total'])
    .expression((db) =>
      db
        .selectFrom('parts')
        .select(['kind', 'value', sql.lit(0).as('part'), total])
        .groupBy(['kind', 'value'])
        .orderBy('kind')
        .orderBy('value'),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'value', 'part'])
        .doUpdateSet({ total: sql<number>`row_counts.total + excluded.total` }),
    )
    .returning(sql<number>`(select count(*) from parts)`.as('folded'))
}

/**
 * Deletes counters whose subject no longer exists. Each row is locked as it is read; rows that another process is
 * adding up are left for the next run.
 */
export async function deleteZeros(meta: Meta): Promise<void> {
  const zeros = meta
    .selectFrom('row_counts')
    .select(['kind', 'value', 'part'])
    .where('total', '=', 0)
    .limit(PARTS_AT_ONCE)
    .$call(skipLockedRows(meta))
  await meta
    .deleteFrom('row_counts')
    .where((eb) => eb(eb.refTuple('kind', 'value', 'part'), 'in', zeros.$asTuple('kind', 'value', 'part')))
    .execute()
}

function someParts(meta: Meta) {
  return meta
    .selectFrom('row_counts')
    .select(sql<string>`ctid`.as('ctid'))
    .where('part', '<>', 0)
    .limit(PARTS_AT_ONCE)
    .$call(skipLockedRows(meta))
}
