import { sql } from 'kysely'
import type { Db } from '../migrate.ts'

/** The acts have their user too, so that the newest of one user are found by one index. */
export function impersonations({ schema }: Db) {
  return [
    schema.alterTable('session').addColumn('acted_by', 'text'),
    schema
      .createTable('impersonation')
      .addColumn('id', 'text', (id) => id.primaryKey().notNull())
      .addColumn('user_id', 'text', (id) => id.notNull().references('user.id').onDelete('cascade'))
      .addColumn('administrator_id', 'text', (id) => id.notNull())
      .addColumn('administrator_session_id', 'text', (id) => id.notNull())
      .addColumn('reason', 'text')
      .addColumn('mode', 'text', (mode) => mode.notNull())
      .addColumn('started_at', 'bigint', (at) => at.notNull())
      .addColumn('ended_at', 'bigint'),
    schema.createIndex('impersonation_user').on('impersonation').columns(['user_id', 'started_at', 'id']),
    schema.createIndex('impersonation_started').on('impersonation').column('started_at'),
    schema.createIndex('impersonation_open').on('impersonation').column('id').where(sql.ref('ended_at'), 'is', null),
    schema
      .createTable('impersonation_act')
      .addColumn('id', 'text', (id) => id.primaryKey().notNull())
      .addColumn('impersonation_id', 'text', (id) => id.notNull())
      .addColumn('user_id', 'text', (id) => id.notNull().references('user.id').onDelete('cascade'))
      .addColumn('route', 'text', (route) => route.notNull())
      .addColumn('at', 'bigint', (at) => at.notNull()),
    schema.createIndex('impersonation_act_at').on('impersonation_act').column('at'),
    schema.createIndex('impersonation_act_user').on('impersonation_act').columns(['user_id', 'at', 'id']),
  ]
}
