import { zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** Not known of older passkeys: their next use shows it. */
export function passkeysAlone(db: Db) {
  return [db.schema.alterTable('passkey').addColumn('is_user_verified', 'bigint', zero)]
}
