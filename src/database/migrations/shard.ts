import { shardTables } from './baseline/shard.ts'
import { statement } from './counting.ts'
import type { Db, Migration } from './migrate.ts'

/** The first is the schema of 0.3.0, which is never changed again. */
export const shardMigrations: readonly Migration[] = [
  { name: '0001-baseline', up: () => shardTables.map(statement) },
  { name: '0002-feedback-search', up: feedbackSearch },
  { name: '0003-feedback-handler', up: feedbackHandler },
]

/** Older texts have only their Latin letters folded. */
function feedbackSearch(db: Db) {
  return [db.schema.alterTable('feedbacks').addColumn('folded_content', 'text')]
}

/** Unknown for feedback that was handled before. */
function feedbackHandler(db: Db) {
  return [db.schema.alterTable('feedbacks').addColumn('handled_by', 'text')]
}
