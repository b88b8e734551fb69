import { zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** Unknown for older passkeys until they are next used. */
export function passkeysAlone(db: Db) {
  return [db.schema.alterTable('passkey').addColumn('is_user_verified', 'bigint', zero)]
}
