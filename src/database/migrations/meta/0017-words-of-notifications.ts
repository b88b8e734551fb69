import type { Db } from '../migrate.ts'

/**
 * A notification of the service itself is kept as kind and data, and put into its reader's words when it is read. What
 * an older program writes has neither, and its waiting calls send no letter.
 */
export function wordsOfNotifications({ schema }: Db) {
  return [
    schema.alterTable('notifications').addColumn('kind', 'text'),
    schema.alterTable('notifications').addColumn('data', 'text'),
    schema.alterTable('user').addColumn('language', 'text'),
    schema.alterTable('approval').addColumn('letter_at', 'bigint'),
    schema.createIndex('approval_letters').on('approval').column('letter_at').where('letter_at', 'is not', null),
  ]
}
