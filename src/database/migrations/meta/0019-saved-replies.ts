import { statement } from '../counting.ts'

export function savedReplies() {
  return [
    statement(
      `create table saved_reply (
         id text not null primary key,
         name text not null,
         text text not null,
         created_at bigint not null,
         constraint saved_reply_name unique (name)
       )`,
    ),
  ]
}
