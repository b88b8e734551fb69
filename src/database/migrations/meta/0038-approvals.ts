import { columns, ofGrant, ofUser, primary, required } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** What a user allows a grant in each case, and what it did. */
export function approvals(db: Db) {
  const { schema } = db
  return [
    schema.alterTable('api_grant').addColumn('daily_limit', 'bigint'),
    schema
      .alterTable('api_grant')
      .addColumn('approval', 'text', (column) => required(column).defaultTo('none')),
    schema
      .createTable('approval')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['grant_id'], ofGrant))
      .$call(columns('text', ['user_id'], ofUser))
      .$call(columns('text', ['method', 'path', 'input', 'state'], required))
      .$call(columns('text', ['key', 'result']))
      .$call(columns('bigint', ['created_at', 'expires_at'], required)),
    schema.createIndex('approval_of_user').on('approval').columns(['user_id', 'state', 'created_at']),
    schema.createIndex('approval_by_key').on('approval').columns(['grant_id', 'key']).unique(),
    schema.createIndex('approval_expiry').on('approval').column('expires_at'),
    schema
      .createTable('grant_act')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', ['grant_id'], ofGrant))
      .$call(columns('text', ['path'], required))
      .$call(columns('text', ['ip', 'approval_id']))
      .$call(columns('bigint', ['status', 'created_at'], required)),
    schema.createIndex('grant_act_newest').on('grant_act').columns(['grant_id', 'id']),
  ]
}
