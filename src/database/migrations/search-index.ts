import { isShared } from '../sql/row-lock.ts'
import { ONLY_THIS_SCHEMA } from './counting.ts'
import type { Db } from './migrate.ts'

interface Searchable {
  readonly of: 'user' | 'organization'
  /** The text that it is found by beside its name and its id. */
  readonly by: 'email' | 'slug'
}

/**
 * A trigram index of the texts that rows are found by. Triggers maintain it, so that no writer can forget to. Rows from
 * before are added while the service runs (`features/people/users/search-index.ts`).
 */
export function searchIndex(db: Db, searchable: Searchable): readonly string[] {
  const { of } = searchable
  const completeIfNew = `insert into instance (name, value)
    select '${of}s_in_search_index', 'all' where not exists (select 1 from "${of}")`
  return [...(isShared(db) ? onPostgres(searchable) : onSqlite(searchable)), completeIfNew]
}

/** Two spaces at the end, so that the last letters begin trigrams too. */
function keep({ of, by }: Searchable, id: string): string {
  return `insert into ${of}_search (${of}_id, text)
   values (new.id, new.folded_name || ' ' || new.${by} || ' ' || ${id} || '  ')
   on conflict (${of}_id) do update set text = excluded.text;`
}

/** A rowid that is not declared can change when an operator compacts the file. */
function onSqlite(searchable: Searchable): readonly string[] {
  const { of, by } = searchable
  const trigger = (name: string, event: string, body: string) =>
    `create trigger ${of}_${name} after ${event} begin ${body} end`
  const added = `insert into ${of}_grams (rowid, text) values (new.number, new.text);`
  const removed = `insert into ${of}_grams (${of}_grams, rowid, text) values ('delete', old.number, old.text);`
  return [
    `create table ${of}_search (
       number integer primary key,
       ${of}_id text not null unique references ${of} (id) on delete cascade,
       text text not null
     )`,
    `create virtual table ${of}_grams using fts5(
       text, content = '${of}_search', content_rowid = 'number', tokenize = 'trigram case_sensitive 1', detail = none
     )`,
    `create virtual table ${of}_gram_terms using fts5vocab(${of}_grams, row)`,
    trigger('searchable', `insert on ${of}`, keep(searchable, 'lower(new.id)')),
    trigger('searchable_again', `update of folded_name, ${by} on ${of}`, keep(searchable, 'lower(new.id)')),
    trigger('search_added', `insert on ${of}_search`, added),
    trigger('search_removed', `delete on ${of}_search`, removed),
    trigger('search_changed', `update of text on ${of}_search`, removed + added),
  ]
}

/**
 * Does not use `pg_trgm`, which a role may not be allowed to create. A table of its own, because a change of the row's
 * other columns would rewrite every trigram.
 */
function onPostgres(searchable: Searchable): readonly string[] {
  const { of, by } = searchable
  return [
    ONLY_THIS_SCHEMA,
    `create table ${of}_search (
       ${of}_id text not null primary key references "${of}" (id) on delete cascade,
       text text not null
     )`,
    `create index ${of}_search_grams on ${of}_search using gin (search_grams(text))`,
    `create function ${of}_searchable() returns trigger language plpgsql
     security definer set search_path from current as $$ begin
     ${keep(searchable, `lower(new.id collate "C")`)} return null; end $$`,
    `create trigger ${of}_searchable after insert on "${of}" for each row execute function ${of}_searchable()`,
    `create trigger ${of}_searchable_again after update of folded_name, ${by} on "${of}" for each row
     when (old.folded_name is distinct from new.folded_name or old.${by} is distinct from new.${by})
     execute function ${of}_searchable()`,
  ]
}
