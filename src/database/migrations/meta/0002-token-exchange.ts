import { sql } from 'kysely'
import type { Db } from '../migrate.ts'

/** Tokens that a service got for a user's token, and which service made a call. */
export function tokenExchange({ schema }: Db) {
  const token = (name: string) => schema.alterTable('access_token').addColumn(name, 'text')
  const index = (name: string, column: string) =>
    schema
      .createIndex(name)
      .on('access_token')
      .column(column)
      .where(sql<boolean>`${sql.ref(column)} is not null`)
  return [
    token('subject_hash'),
    token('actor_id'),
    token('act'),
    index('access_token_subject', 'subject_hash'),
    index('access_token_actor', 'actor_id'),
    schema.alterTable('grant_act').addColumn('actor_id', 'text'),
  ]
}
