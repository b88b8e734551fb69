import { OperatorError } from '../../rules/operator-error.ts'
import { type Connection, quoted } from '../named-database/connection.ts'
import { COLUMNS, MIRRORED, STATE, TABLES } from './tables.ts'

interface Column {
  readonly type: string
  readonly isKey: boolean
}

interface Relation {
  readonly isTable: boolean
  readonly columns: ReadonlyMap<string, Column>
}

type Relations = ReadonlyMap<string, Relation>

const BYTES_OF_NAME = 63

/** A name that PostgreSQL would cut, or that is the server's own, is refused. */
export function refuseSchema(schema: string): void {
  const isWrong = schema === '' || schema.includes('\0') || Buffer.byteLength(schema) > BYTES_OF_NAME
  if (isWrong) throw new OperatorError('--schema takes a name of 1 to 63 bytes')
  if (/^pg_|^information_schema$/i.test(schema)) throw new OperatorError('--schema names a schema of the server itself')
}

/**
 * Makes the tables if they are missing, or the columns that an older mirror has not made. Everything else that is in
 * their place is refused, and nothing touched. In a transaction.
 */
export async function prepareTables(connection: Connection, schema: string): Promise<void> {
  await refuseUnfit(connection)
  const found = await relationsIn(connection, schema)
  if (found.size === 0) return createTables(connection, schema)
  const made = await refuseOthers(connection, schema, found)
  const missing = COLUMNS.filter((column) => !made.includes(column))
  if (missing.length > 0) await addColumns(connection, schema, found, missing)
}

/** For a command that only reads. */
export async function refuseUnmirrored(connection: Connection, schema: string): Promise<void> {
  const found = await relationsIn(connection, schema)
  if (found.size === 0)
    throw new OperatorError(`the schema ${quoted(schema)} has no mirror; run gatehouse mirror first`)
  await refuseOthers(connection, schema, found)
}

async function refuseUnfit(connection: Connection): Promise<void> {
  const { rows } = await connection.query(
    `select pg_catalog.current_setting('server_encoding') as encoding,
       cast(pg_catalog.current_setting('server_version_num') as int) as version,
       (select pg_catalog.min(cast(n.nspname as text)) from pg_catalog.pg_namespace n
          join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = 'schema_migration'
          join pg_catalog.pg_class o on o.relnamespace = n.oid and o.relname in ('event_order', 'residents')) as own`,
  )
  const { encoding, version, own } = rows[0] ?? {}
  if (typeof own === 'string')
    throw new OperatorError(`this database has tables of Gatehouse itself, in ${quoted(own)}; mirror into another one`)
  if (encoding !== 'UTF8') throw new OperatorError(`this database is in ${encoding}; a mirror needs UTF8`)
  if (!(Number(version) >= OLDEST)) throw new OperatorError('a mirror needs PostgreSQL 14 or later')
}

const OLDEST = 140_000

async function relationsIn(connection: Connection, schema: string): Promise<Relations> {
  const { rows } = await connection.query(RELATIONS, [schema, ['mirror_state', ...MIRRORED]])
  const relations = new Map<string, { isTable: boolean; columns: Map<string, Column> }>()
  for (const { name, is_table, column, type, is_key } of rows) {
    const relation = relations.get(String(name)) ?? { isTable: is_table === true, columns: new Map() }
    if (typeof column === 'string') relation.columns.set(column, { type: String(type), isKey: is_key === true })
    relations.set(String(name), relation)
  }
  return relations
}

const RELATIONS = `select cast(c.relname as text) as name, c.relkind in ('r', 'p') as is_table,
    cast(a.attname as text) as column, pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
    i.indnkeyatts = 1 and i.indkey[0] = a.attnum as is_key
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    and a.attgenerated = ''
  left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
  where n.nspname = $1 and c.relname = any(cast($2 as text[]))`

async function createTables(connection: Connection, schema: string): Promise<void> {
  const named = await connection.query('select from pg_catalog.pg_namespace where nspname = $1', [schema])
  // `create schema if not exists` would need the right to create one.
  if (named.rowCount === 0) await connection.query(`create schema ${quoted(schema)}`)
  for (const table of MIRRORED) {
    const columns = Object.entries(TABLES[table].columns).map(([name, type]) => columnOf(name, type))
    await connection.query(`create table ${quoted(schema)}.${quoted(table)} (${columns.join(', ')})`)
  }
  for (const column of ['organization_id', 'user_id'])
    await connection.query(`create index on ${quoted(schema)}.members (${column})`)
  const state = Object.entries(STATE).map(([name, type]) => `${quoted(name)} ${type}`)
  await connection.query(
    `create table ${quoted(schema)}.mirror_state (${state.join(', ')},
       only_row boolean primary key default true check (only_row))`,
  )
  await connection.query(`insert into ${quoted(schema)}.mirror_state (columns) values (cast($1 as text[]))`, [COLUMNS])
}

function columnOf(name: string, type: string): string {
  return `${quoted(name)} ${type}${name === 'id' ? ' primary key' : ''}`
}

/** Returns the columns that the mirror has made there, all of which are as it made them. */
async function refuseOthers(connection: Connection, schema: string, found: Relations): Promise<readonly string[]> {
  for (const table of ['mirror_state', ...MIRRORED]) {
    if (!found.get(table)?.isTable) throw notOurs(schema, found, table)
  }
  for (const [name, type] of Object.entries(STATE)) {
    if (found.get('mirror_state')?.columns.get(name)?.type !== type) throw notOurs(schema, found, 'mirror_state')
  }
  const { rows } = await connection.query(`select columns from ${quoted(schema)}.mirror_state`)
  const made = rows[0]?.columns
  if (rows.length !== 1 || !Array.isArray(made)) throw notOurs(schema, found, 'mirror_state')
  for (const [table, column, type] of expected()) {
    const has = found.get(table)?.columns.get(column)
    if (!made.includes(`${table}.${column}`)) continue
    if (has?.type !== type || (column === 'id' && !has.isKey)) throw changed(schema, table, column, type)
  }
  return made
}

function expected() {
  return MIRRORED.flatMap((table) =>
    Object.entries(TABLES[table].columns).map(([column, type]) => [table, column, type] as const),
  )
}

function notOurs(schema: string, found: Relations, wanted: string): OperatorError {
  const there = found.has(wanted) ? wanted : ([...found.keys()].toSorted()[0] ?? wanted)
  return new OperatorError(
    `${quoted(schema)}.${quoted(there)} was not made by a mirror; name another schema with --schema`,
  )
}

function changed(schema: string, table: string, column: string, type: string): OperatorError {
  const key = column === 'id' ? ' as primary key' : ''
  return new OperatorError(
    `${quoted(schema)}.${quoted(table)} has no column ${quoted(column)} of type ${type}${key}, which the mirror had made`,
  )
}

/** What the new columns are about is copied again. */
async function addColumns(connection: Connection, schema: string, found: Relations, missing: readonly string[]) {
  for (const [table, column, type] of expected().filter(([table, column]) => missing.includes(`${table}.${column}`))) {
    if (found.get(table)?.columns.has(column))
      throw new OperatorError(
        `${quoted(schema)}.${quoted(table)} has a column ${quoted(column)} of the product, a name that the mirror needs; rename it`,
      )
    await connection.query(`alter table ${quoted(schema)}.${quoted(table)} add column ${columnOf(column, type)}`)
  }
  await connection.query(`update ${quoted(schema)}.mirror_state set columns = cast($1 as text[]), cursor = null`, [
    COLUMNS,
  ])
}
