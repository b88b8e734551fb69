import { statement } from '../counting.ts'
import type { Db } from '../migrate.ts'

/** Pictures have their own table, because an application's row is read at every call of its tokens. */
export function applicationBrand({ schema }: Db) {
  return [
    schema.alterTable('application').addColumn('brand', 'text'),
    statement(
      `create table application_picture (
         application_id text not null,
         name text not null,
         type text not null,
         digest text not null,
         data text not null,
         primary key (application_id, name)
       )`,
    ),
  ]
}
