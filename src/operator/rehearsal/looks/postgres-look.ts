import { type Connection, quoted } from '../../named-database/connection.ts'
import type { Look } from './look.ts'

const OF_THIS_SCHEMA = `relnamespace = pg_catalog.current_schema()::regnamespace and relkind in ('r', 'p')`

/** Disposing of it ends the connection. */
export function postgresLook(connection: Connection): Look {
  const all = async (query: string, ...values: readonly string[]) => (await connection.query(query, values)).rows
  const names = async (query: string, ...values: readonly string[]) =>
    (await all(query, ...values)).map(({ name }) => String(name))
  const one = async (query: string) => (await all(query))[0]?.value
  return {
    tables: () => names(`select relname as name from pg_catalog.pg_class where ${OF_THIS_SCHEMA} order by 1`),
    columns: (table) =>
      names(
        `select attname as name from pg_catalog.pg_attribute
           where attrelid = pg_catalog.format('%I', $1::text)::regclass and attnum > 0 and not attisdropped order by attnum`,
        table,
      ),
    rows: async (table) => Number(await one(`select count(*) as value from ${quoted(table)}`)),
    // A sum depends on no order of the rows, and needs none of them in memory.
    hash: async (table, columns) => {
      const row = `row(${columns.map(quoted).join()})::text`
      return String(await one(`select sum(hashtextextended(${row}, 0)::numeric)::text as value from ${quoted(table)}`))
    },
    bytes: async () =>
      Number(
        await one(`select sum(pg_total_relation_size(oid)) as value from pg_catalog.pg_class where ${OF_THIS_SCHEMA}`),
      ),
    [Symbol.asyncDispose]: () => connection.end(),
  }
}
