import { statement } from '../counting.ts'

/**
 * A table of its own: a 0.3.0 process running beside this one sends what is in `mail_queue`, and reads only finished
 * text.
 */
export function lettersAsData() {
  return [
    `create table letter_queue (
       id text not null primary key,
       kind text not null,
       sealed text not null,
       created_at bigint not null,
       expires_at bigint not null,
       next_attempt_at bigint not null,
       attempts bigint not null default 0,
       claimed_until bigint not null default 0,
       last_error text
     )`,
    'create index letter_queue_expires on letter_queue (expires_at)',
    'create index letter_queue_next on letter_queue (next_attempt_at)',
    'create index letter_queue_kind on letter_queue (kind)',
  ].map(statement)
}
