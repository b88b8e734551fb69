import { type Kysely, sql } from 'kysely'
import type { RowCountsTable } from './schema/instance.ts'
import type { MetaTables } from './schema/tables.ts'
import type { Meta } from './store.ts'

type Kind = RowCountsTable['kind']

const total = sql<number>`cast(coalesce(sum(total), 0) as bigint)`.as('total')

/** Exact at the moment of its snapshot; without a value, of all values. */
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

/**
 * One statement, so that every snapshot has the sum either in parts or in the counter. The key is unique: the conflict
 * locks the counter before it changes, and a part that another process has deleted is not returned here.
 */
export function foldRowCounts(meta: Meta) {
  return meta
    .with('parts', (db) =>
      db.deleteFrom('row_counts').where('part', '<>', 0).returning(['kind', 'value', 'total']),
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
}
