import { sql } from 'kysely'
import { required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** A rotation looks for a grant's unexpired tokens, however many it has had. */
export function unexpiredAccess(db: Db) {
  return [
    db.schema.dropIndex('access_token_grant'),
    db.schema.createIndex('access_token_living').on('access_token').columns(['grant_id', 'expires_at']),
  ]
}

export function settingsToken(db: Db) {
  return [
    db.schema.alterTable('settings').addColumn('token', 'text', (column) => required(column).defaultTo('')),
  ]
}

/** An address that was verified before this column existed counts as proven from the beginning. */
export function proofOfAddress(db: Db) {
  return [
    db.schema.alterTable('user').addColumn('email_proven_at', 'bigint'),
    db.updateTable('user').set({ email_proven_at: sql`case email_verified when 1 then created_at end` }),
  ]
}

/** From the settings at the user's creation; the balance can be created later. */
export function signupReward(db: Db) {
  return [db.schema.alterTable('user_shards').addColumn('signup_reward', 'bigint', zero)]
}

export function confirmedSessions(db: Db) {
  return [db.schema.alterTable('session').addColumn('confirmed_at', 'bigint', zero)]
}
