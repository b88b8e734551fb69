import type { Db } from '../migrate.ts'

/** Unknown for older passkeys. */
export function passkeyDomains(db: Db) {
  return [
    db.schema.alterTable('passkey').addColumn('rp_id', 'text', (column) => column.notNull().defaultTo('')),
    db.schema.createIndex('passkey_rp').on('passkey').column('rp_id'),
  ]
}
