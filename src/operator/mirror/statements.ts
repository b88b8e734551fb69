import { quoted } from '../named-database/connection.ts'
import { type Mirrored, TABLES } from './tables.ts'

// The SQL for one table. Everything is named with its schema, and every operator is one that the server has for exactly
// these types, so that nothing in the role's search path decides what is meant, or runs with its rights.

export function timeOf(milliseconds: string): string {
  const since = `cast(${milliseconds} as double precision) operator(pg_catalog.*) interval '1 millisecond'`
  return `timestamp with time zone 'epoch' operator(pg_catalog.+) (${since})`
}

/** The columns that come from Gatehouse. */
function factsOf(table: Mirrored): readonly string[] {
  return Object.keys(TABLES[table].columns).filter((column) => column !== 'id' && column !== 'deleted_at')
}

function nameOf(schema: string, table: Mirrored): string {
  return `${quoted(schema)}.${quoted(table)}`
}

/** The rows of the first parameter, a JSON array, with the columns of the table. */
function given(table: Mirrored): string {
  const columns = Object.entries(TABLES[table].columns).filter(([column]) => column !== 'deleted_at')
  const types = columns.map(([column, type]) => `${quoted(column)} ${isTime(type) ? 'bigint' : type}`)
  const values = columns.map(([column, type]) => {
    const value = `sent.${quoted(column)}`
    return `${isTime(type) ? timeOf(value) : value} as ${quoted(column)}`
  })
  return `(select ${values.join(', ')}, cast(null as timestamp with time zone) as deleted_at
    from pg_catalog.json_to_recordset(cast($1 as json)) as sent(${types.join(', ')})) as given`
}

function isTime(type: string): boolean {
  return type === 'timestamp with time zone'
}

/** Exact, whatever collation the product has given to the column. */
function differs(table: Mirrored, column: string, from: string): string {
  const type = TABLES[table].columns[column]
  const exactly = (value: string) => {
    if (type === 'text') return `${value} collate "C"`
    return type === 'text[]' ? `cast(${value} as text) collate "C"` : value
  }
  return `${exactly(`kept.${quoted(column)}`)} is distinct from ${exactly(`${from}.${quoted(column)}`)}`
}

/** Leaves rows alone that are equal, so that no trigger of the product runs for nothing. */
export function upsert(schema: string, table: Mirrored): string {
  const columns = Object.keys(TABLES[table].columns).map(quoted)
  const facts = [...factsOf(table), 'deleted_at']
  const changes = facts.map((column) => `${quoted(column)} = excluded.${quoted(column)}`)
  return `insert into ${nameOf(schema, table)} as kept (${columns.join(', ')})
    select ${columns.map((column) => `given.${column}`).join(', ')} from ${given(table)} order by given.id
    on conflict (id) do update set ${changes.join(', ')}
    where ${facts.map((column) => differs(table, column, 'excluded')).join(' or ')}`
}

/** Takes values from rows that have lost them to the given ones; what those rows have now comes with its own event. */
export function giveUpUnique(schema: string, table: Mirrored): string {
  const { unique } = TABLES[table]
  const held = unique.map((column) => `kept.${quoted(column)} = given.${quoted(column)}`)
  return `update ${nameOf(schema, table)} as kept set ${unique.map((column) => `${quoted(column)} = null`).join(', ')}
    from ${given(table)} where ${held.join(' and ')} and kept.id <> given.id`
}

export function deleteRows(schema: string, table: Mirrored, by: string): string {
  return `delete from ${nameOf(schema, table)} where ${quoted(by)} = any(cast($1 as text[]))`
}

/** Empties rows instead of deleting them. */
export function markDeleted(schema: string, table: Mirrored, by: string): string {
  const emptied = factsOf(table).map((column) => `${quoted(column)} = null`)
  return `update ${nameOf(schema, table)}
    set deleted_at = coalesce(deleted_at, pg_catalog.now()), ${emptied.join(', ')}
    where ${quoted(by)} = any(cast($1 as text[]))`
}

export function idsWhere(schema: string, table: Mirrored, by: string): string {
  return `select id from ${nameOf(schema, table)} where ${quoted(by)} = any(cast($1 as text[])) order by id`
}

export function idsAfter(schema: string, table: Mirrored): string {
  return `select id from ${nameOf(schema, table)} where id > $1 order by id limit cast($2 as int)`
}

/** The given rows that the mirror lacks or has otherwise, with the columns that differ; null for a missing row. */
export function differences(schema: string, table: Mirrored): string {
  const columns = [...factsOf(table), 'deleted_at'].map(
    (column) => `case when ${differs(table, column, 'given')} then '${column}' end`,
  )
  return `select id, columns from (
      select given.id, case when kept.id is null then null
        else pg_catalog.array_remove(array[${columns.join(', ')}], null) end as columns
      from ${given(table)} left join ${nameOf(schema, table)} as kept on kept.id = given.id
    ) as compared where columns is null or pg_catalog.cardinality(columns) > 0`
}

/** Of the given ids, which Gatehouse does not have, those whose row is not a deleted one. */
export function notDeleted(schema: string, table: Mirrored): string {
  const left = factsOf(table).map((column) => `kept.${quoted(column)} is not null`)
  return `select id from ${nameOf(schema, table)} as kept
    where id = any(cast($1 as text[])) and (deleted_at is null or ${left.join(' or ')})`
}
