import { isShared } from '../../sql/row-lock.ts'
import type { Db } from '../migrate.ts'

export const instanceTables = [
  `create table instance (
     name text not null primary key,
     value text not null
   )`,
  `create table settings (
     id text not null primary key check (id = 'global'),
     authentication text not null,
     email text not null,
     credits text not null,
     ai text not null,
     revision bigint not null,
     authentication_version bigint not null,
     email_version bigint not null,
     credits_version bigint not null,
     ai_version bigint not null,
     updated_at bigint not null,
     token text not null default '',
     brand text not null default '{}',
     brand_version bigint not null default 1,
     history text not null default '',
     assistants text not null default '{}',
     assistants_version bigint not null default 1
   )`,
  `create table shards (
     id text not null primary key,
     region text not null,
     state text not null,
     created_at bigint not null
   )`,
  `create table row_counts (
     kind text not null,
     value text not null,
     part bigint not null,
     total bigint not null,
     constraint row_counts_key primary key (kind, value, part)
   )`,
]

export function keyValueTable(db: Db) {
  // PostgreSQL need not log rows that may be lost with the server.
  const unlogged = isShared(db) ? 'unlogged' : ''
  return [
    `create ${unlogged} table key_value (
       key text not null primary key,
       value text not null,
       expires_at bigint not null
     )`,
    'create index key_value_expires on key_value (expires_at)',
  ]
}
