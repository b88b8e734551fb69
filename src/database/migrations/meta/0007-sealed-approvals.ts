import { sql } from 'kysely'
import type { Db } from '../migrate.ts'

/** A program of 0.3.0 neither writes nor reads these columns. The index has the rows that still hold something. */
export function sealedApprovals({ schema }: Db) {
  const approval = () => schema.alterTable('approval')
  return [
    approval().addColumn('fingerprint', 'text'),
    approval().addColumn('sealed_result', 'text'),
    approval().addColumn('collected_at', 'bigint'),
    schema
      .createIndex('approval_holding')
      .on('approval')
      .column('expires_at')
      .where(sql<boolean>`input <> 'null' or result is not null or sealed_result is not null`),
  ]
}
