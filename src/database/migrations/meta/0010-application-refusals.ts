import { statement } from '../counting.ts'

/** Has no foreign key to the application: rows that outlive it are swept after a day. */
export function applicationRefusals() {
  return [
    `create table application_refusal (
       id text not null primary key,
       application_id text not null,
       error text not null,
       description text not null,
       endpoint text not null,
       ip text not null,
       created_at bigint not null
     )`,
    'create index application_refusal_newest on application_refusal (application_id, id)',
    'create index application_refusal_created on application_refusal (created_at)',
  ].map(statement)
}
