import { shardTables } from './baseline/shard.ts'
import type { Migration } from './migrate.ts'

/** The first is the schema of 0.3.0, which is never changed again. */
export const shardMigrations: readonly Migration[] = [{ name: '0001-baseline', up: shardTables }]
