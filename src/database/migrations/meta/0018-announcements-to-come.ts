import type { Db } from '../migrate.ts'

/**
 * A notification that is held is archived for programs of before, so that none of them lists it. One for an audience
 * stays held: each of its people has a row that names it as the parent.
 */
export function announcementsToCome({ schema }: Db) {
  return [
    schema.alterTable('notifications').addColumn('held', 'text'),
    schema.alterTable('notifications').addColumn('publish_at', 'bigint'),
    schema.alterTable('notifications').addColumn('audience', 'text'),
    schema.alterTable('notifications').addColumn('after_user_id', 'text'),
    schema.alterTable('notifications').addColumn('reached', 'bigint'),
    schema.alterTable('notifications').addColumn('parent_id', 'text'),
    schema.createIndex('notifications_held').on('notifications').column('held').where('held', 'is not', null),
    schema.createIndex('notifications_parent').on('notifications').columns(['parent_id', 'archived_at']),
  ]
}
