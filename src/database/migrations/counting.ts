import { type Compilable, CompiledQuery } from 'kysely'
import { isShared } from '../sql/row-lock.ts'
import type { Db } from './migrate.ts'

/** The SQL must work on both engines; `row` is the prefix of a column: `new.`, `old.` or nothing. */
interface Count {
  readonly kind: string
  readonly value: (row: string) => string
  /** Rows for which it is false are not counted. */
  readonly condition: (row: string) => string
}

/** One counted table. */
export interface CountedTable {
  readonly table: string
  readonly counts: readonly Count[]
  /** The column that decides which counts a row is in, if it can change. */
  readonly changing?: string
}

/**
 * Triggers, so that no writer can forget to count. On an embedded store they change the counter itself.
 * On PostgreSQL they insert rows that no other transaction touches, and `foldRowCounts` adds them to the counter.
 * There they run as the owner of the tables: the role that serves may not have a right to the new table yet.
 */
export function keepCounts(db: Db, counted: CountedTable): readonly Compilable<unknown>[] {
  return (isShared(db) ? onPostgres(counted) : onSqlite(counted)).map(statement)
}

const ADD_UP = 'on conflict (kind, value, part) do update set total = row_counts.total + excluded.total'

function onSqlite({ table, counts, changing }: CountedTable): readonly string[] {
  const add = (row: string, by: number) =>
    counts
      .map(
        ({ kind, value, condition }) =>
          `insert into row_counts (kind, value, part, total)
           select '${kind}', ${value(row)}, 0, ${by} where ${condition(row)} ${ADD_UP};`,
      )
      .join(' ')
  const trigger = (name: string, event: string, body: string) =>
    `create trigger ${table}_${name} after ${event} on "${table}" begin ${body} end`
  return [
    trigger('counted', 'insert', add('new.', 1)),
    trigger('uncounted', 'delete', add('old.', -1)),
    ...(changing ? [trigger('recounted', `update of ${changing}`, add('old.', -1) + add('new.', 1))] : []),
  ]
}

/** Random, so that two transactions never add up in the same row. */
const PART = '1 + floor(random() * 9e15)::bigint'

/** Search path for this batch's functions. Temporary tables come last, so that no role can shadow the owner's. */
export const ONLY_THIS_SCHEMA = `select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`

/** Fires once per statement, however many rows it touches. Few rows change, so each is counted by itself. */
function onPostgres({ table, counts, changing }: CountedTable): readonly string[] {
  const add = (row: string, from: string, total: string) =>
    counts
      .map(
        ({ kind, value, condition }) =>
          `insert into row_counts (kind, value, part, total)
           select '${kind}', ${value(row)}, ${PART}, ${total} ${from} where ${condition(row)}
           ${from && `group by ${value(row)}`} ${ADD_UP};`,
      )
      .join(' ')
  const procedure = (name: string, body: string) =>
    `create function ${table}_${name}() returns trigger language plpgsql
     security definer set search_path from current as $$ begin ${body} return null; end $$`
  const eachStatement = (name: string, event: string, rows: string) =>
    `create trigger ${table}_${name} after ${event} on "${table}" referencing ${rows} table as changed
     for each statement execute function ${table}_${name}()`
  return [
    ONLY_THIS_SCHEMA,
    procedure('counted', add('', 'from changed', 'count(*)')),
    procedure('uncounted', add('', 'from changed', '-count(*)')),
    eachStatement('counted', 'insert', 'new'),
    eachStatement('uncounted', 'delete', 'old'),
    ...(changing
      ? [
          procedure('recounted', add('old.', '', '-1') + add('new.', '', '1')),
          `create trigger ${table}_recounted after update of ${changing} on "${table}"
           for each row when (old.${changing} is distinct from new.${changing}) execute function ${table}_recounted()`,
        ]
      : []),
  ]
}

export function statement(text: string): Compilable<unknown> {
  return { compile: () => CompiledQuery.raw(text) }
}
