import { sql } from 'kysely'
import type { FeedbackCountsTable } from '../../../database/schema/operations.ts'
import type { Shard } from '../../../database/store.ts'
import type { Belonging } from '../../tenancy/shards/belongings.ts'

export const FEEDBACKS: Belonging = { table: 'feedbacks', key: 'id' }

/** One statement, so that both are of one moment. */
export function countersAndRows(shard: Shard, kind: FeedbackCountsTable['kind']) {
  return shard.primary
    .selectNoFrom([
      sql<number>`(select cast(coalesce(sum(feedbacks), 0) as bigint) from feedback_counts where kind = ${kind})`.as(
        'counted',
      ),
      sql<number>`(select count(*) from feedbacks)`.as('rows'),
    ])
    .executeTakeFirstOrThrow()
}
