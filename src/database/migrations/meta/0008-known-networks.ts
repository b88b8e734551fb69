import type { Db } from '../migrate.ts'

/** Networks that users have signed in from; sign-ins through an older program are missing. */
export function knownNetworks({ schema }: Db) {
  return [
    schema
      .createTable('known_network')
      .addColumn('user_id', 'text', (column) => column.notNull().references('user.id').onDelete('cascade'))
      .addColumn('network', 'text', (column) => column.notNull())
      .addColumn('signed_in_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('known_network_key', ['user_id', 'network']),
    schema.createIndex('known_network_signed_in').on('known_network').column('signed_in_at'),
  ]
}
