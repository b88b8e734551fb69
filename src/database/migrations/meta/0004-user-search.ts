import { isShared } from '../../sql/row-lock.ts'
import { ONLY_THIS_SCHEMA, statement } from '../counting.ts'
import type { Db } from '../migrate.ts'

/**
 * A trigram index of the texts that users are found by. Triggers maintain it, so that no writer can forget to. Users
 * from before are added while the service runs (`features/people/users/search-index.ts`).
 */
export function userSearch(db: Db) {
  return [...(isShared(db) ? ON_POSTGRES : ON_SQLITE), COMPLETE_IF_NEW].map(statement)
}

const COMPLETE_IF_NEW = `insert into instance (name, value)
  select 'users_in_search_index', 'all' where not exists (select 1 from "user")`

/** Two spaces at the end, so that the last letters begin trigrams too. */
const keep = (id: string) =>
  `insert into user_search (user_id, text)
   values (new.id, new.folded_name || ' ' || new.email || ' ' || ${id} || '  ')
   on conflict (user_id) do update set text = excluded.text;`

/** A rowid that is not declared can change when an operator compacts the file. */
const ON_SQLITE = [
  `create table user_search (
     number integer primary key,
     user_id text not null unique references user (id) on delete cascade,
     text text not null
   )`,
  `create virtual table user_grams using fts5(
     text, content = 'user_search', content_rowid = 'number', tokenize = 'trigram case_sensitive 1', detail = none
   )`,
  'create virtual table user_gram_terms using fts5vocab(user_grams, row)',
  trigger('user_searchable', 'insert on user', keep('lower(new.id)')),
  trigger('user_searchable_again', 'update of folded_name, email on user', keep('lower(new.id)')),
  trigger('user_search_added', 'insert on user_search', grams('new')),
  trigger('user_search_removed', 'delete on user_search', grams('old')),
  trigger('user_search_changed', 'update of text on user_search', grams('old') + grams('new')),
]

function trigger(name: string, event: string, body: string): string {
  return `create trigger ${name} after ${event} begin ${body} end`
}

function grams(row: 'old' | 'new'): string {
  return row === 'new'
    ? 'insert into user_grams (rowid, text) values (new.number, new.text);'
    : `insert into user_grams (user_grams, rowid, text) values ('delete', old.number, old.text);`
}

/**
 * Does not use `pg_trgm`, which a role may not be allowed to create. A table of its own, because a sign-in updates the
 * user's row and would rewrite every trigram. The function's cost keeps the planner from splitting every text.
 */
const ON_POSTGRES = [
  ONLY_THIS_SCHEMA,
  `create table user_search (
     user_id text not null primary key references "user" (id) on delete cascade,
     text text not null
   )`,
  `create function search_grams(text) returns tsvector language sql immutable strict parallel safe cost 1000
   return array_to_tsvector(
     array(select distinct substr($1, i, 3) from generate_series(1, char_length($1) - 2) as i)
   )`,
  'create index user_search_grams on user_search using gin (search_grams(text))',
  `create function user_searchable() returns trigger language plpgsql
   security definer set search_path from current as $$ begin
   ${keep(`lower(new.id collate "C")`)} return null; end $$`,
  'create trigger user_searchable after insert on "user" for each row execute function user_searchable()',
  `create trigger user_searchable_again after update of folded_name, email on "user" for each row
   when (old.folded_name is distinct from new.folded_name or old.email is distinct from new.email)
   execute function user_searchable()`,
]
