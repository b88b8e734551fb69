import type { Shard } from '../../../src/database/store.ts'
import { countFeedbacks } from '../../../src/features/operations/feedback/statements.ts'

const ROWS_AT_ONCE = 500

/** Makes the user look busy for years: as many feedbacks, read marks and ledger entries. */
export async function fillShard(shard: Shard, userId: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(ROWS_AT_ONCE, count - first) }, (_, i) => first + i)
    const feedbacks = numbers.map((n) => ({
      id: `${userId}-${n.toString(16).padStart(8, '0')}`,
      user_id: userId,
      type: n % 3 === 0 ? 'idea' : 'bug',
      content: `Number ${n}`,
      status: 'new' as const,
      note: '',
      context: '{}',
      reply: '',
      created_at: n,
      updated_at: n,
    }))
    await shard.batch([
      countFeedbacks(shard, feedbacks),
      shard.insertInto('feedbacks').values(feedbacks),
      shard
        .insertInto('notification_reads')
        .values(numbers.map((n) => ({ notification_id: `n-${n}`, user_id: userId }))),
      shard.insertInto('credit_entries').values(
        numbers.map((n) => ({
          id: `${userId}-${n}`,
          user_id: userId,
          amount: 1,
          balance_after: n + 1,
          source_type: 'prize',
          source_id: `${userId}-${n}`,
          created_at: n,
        })),
      ),
    ])
  }
}
