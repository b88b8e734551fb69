import { columns, required } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** The generation makes two processes agree on one successor. */
export function signingKeys(db: Db) {
  return [
    db.schema
      .createTable('signing_key')
      .$call(columns('text', ['algorithm'], required))
      .$call(columns('bigint', ['generation'], required))
      .addColumn('kid', 'text', (column) => required(column).unique())
      .$call(columns('text', ['public_jwk', 'sealed'], required))
      .$call(columns('bigint', ['created_at', 'signs_from'], required))
      .addPrimaryKeyConstraint('signing_key_generation', ['algorithm', 'generation']),
  ]
}
