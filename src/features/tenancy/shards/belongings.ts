import type { ShardTables } from '../../../database/schema/tables.ts'

/** A table of a shard whose rows belong to users, with the column that tells one user's rows apart. */
export interface Belonging {
  readonly table: Exclude<keyof ShardTables, 'residents' | 'feedback_counts' | 'instance' | 'schema_migration'>
  readonly key: string
}
