import { type Kysely, sql } from 'kysely'
import type { RowCountsTable } from './schema/instance.ts'
import type { Meta, Shard } from './store.ts'

interface WithRowCounts {
  row_counts: RowCountsTable
}

type Kind = RowCountsTable['kind']

const total = sql<number>`cast(coalesce(sum(total), 0) as bigint)`.as('total')

/** Exact at the moment of its snapshot; without a value, of all values. */
export function rowCount<Tables extends WithRowCounts>(db: Kysely<Tables>, kind: Kind, value?: string) {
  return countsIn(db)
    .selectFrom('row_counts')
    .select(total)
    .where('kind', '=', kind)
    .$if(value !== undefined, (query) => query.where('value', '=', value ?? ''))
}

export function rowCountsOf<Tables extends WithRowCounts>(
  db: Kysely<Tables>,
  kind: Kind,
  values: readonly string[],
) {
  return countsIn(db)
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
export function foldRowCounts(store: Meta | Shard) {
  return (store as unknown as Kysely<WithRowCounts>)
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

/** Either kind of store has the table. */
function countsIn<Tables extends WithRowCounts>(db: Kysely<Tables>): Kysely<WithRowCounts> {
  return db as unknown as Kysely<WithRowCounts>
}
