import { type Connection, quoted } from '../../named-database/connection.ts'

const ROWS_AT_ONCE = 500

/** Fills the tables of the copy with the rows that the source has in its transaction; both have the same tables. */
export async function fill(source: Connection, copy: Connection): Promise<void> {
  const tables = await tablesOf(copy)
  const aside = await asideOf(copy)
  await copy.query('begin')
  for (const { off } of aside) await copy.query(off)
  await copy.query(`truncate ${tables.map(({ table }) => quoted(table)).join()}`)
  for (const table of tables) await fillTable(source, copy, table)
  for (const { back } of aside.toReversed()) await copy.query(back)
  await copy.query('commit')
  await copy.query('analyze')
}

interface Table {
  readonly table: string
  readonly columns: readonly string[]
  /** The columns without those that the server computes. */
  readonly written: readonly string[]
}

/** Entries of the key-value store belong to the processes that serve, and can be lost at any moment. */
const LEFT_EMPTY = 'key_value'

async function tablesOf(copy: Connection): Promise<readonly Table[]> {
  const { rows } = await copy.query(
    `select relname::text as table, array_agg(attname::text order by attnum) as columns,
         array_agg(attname::text order by attnum) filter (where attgenerated = '') as written
       from pg_catalog.pg_class join pg_catalog.pg_attribute on attrelid = pg_class.oid
       where relnamespace = pg_catalog.current_schema()::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
       group by relname order by relname`,
  )
  return rows as unknown as readonly Table[]
}

interface Aside {
  readonly off: string
  readonly back: string
}

/**
 * Foreign keys, whose order the rows do not follow, indexes and the triggers that count are set aside while the rows are
 * written, and put back afterwards. The database is locked for this rehearsal.
 */
async function asideOf(copy: Connection): Promise<readonly Aside[]> {
  const { rows } = await copy.query(
    `with own as (select oid, oid::regclass::text as name from pg_catalog.pg_class
         where relnamespace = pg_catalog.current_schema()::regnamespace and relkind = 'r')
     select 1 as turn, pg_catalog.format('alter table %s drop constraint %I', own.name, conname) as off,
         pg_catalog.format('alter table %s add constraint %I %s', own.name, conname, pg_catalog.pg_get_constraintdef(c.oid)) as back
       from pg_catalog.pg_constraint c join own on conrelid = own.oid where contype = 'f'
     union all
     select 2, pg_catalog.format('drop index %s', indexrelid::regclass), pg_catalog.pg_get_indexdef(indexrelid)
       from pg_catalog.pg_index join own on indrelid = own.oid
       where not exists (select from pg_catalog.pg_constraint where conindid = indexrelid)
     union all
     select 3, pg_catalog.format('alter table %s disable trigger user', name), pg_catalog.format('alter table %s enable trigger user', name)
       from own
     order by turn`,
  )
  return rows as unknown as readonly Aside[]
}

/** A row travels as the text of a composite value, so no type of a column has to be named. */
async function fillTable(source: Connection, copy: Connection, table: Table): Promise<void> {
  const name = quoted(table.table)
  if (table.table === LEFT_EMPTY) return
  await source.query(
    `declare filling no scroll cursor for select row(${list(table.columns)})::text as row from ${name}`,
  )
  const written = list(table.written)
  const insert = `insert into ${name} (${written}) select ${written} from unnest($1::${name}[])`
  const next = async () => (await source.query(`fetch ${ROWS_AT_ONCE} from filling`)).rows.map(({ row }) => row)
  for (let rows = await next(); rows.length > 0; ) {
    const [following] = await Promise.all([next(), copy.query(insert, [rows])])
    rows = following
  }
  await source.query('close filling')
}

function list(columns: readonly string[]): string {
  return columns.map(quoted).join()
}
