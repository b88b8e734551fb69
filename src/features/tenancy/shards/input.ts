import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { listOf } from '../../../rules/paging.ts'

const State = z.enum(['active', 'draining'])

export const ShardRow = z.object({ id: z.string(), region: z.string(), state: State, users: z.int() })
export const ShardRows = listOf(
  ShardRow.extend({
    /** Of its disk; null on PostgreSQL, or if it cannot be reached. */
    free_bytes: z.int().nullable(),
    /** Of its database; null for a file, or if it cannot be reached. */
    size_bytes: z.int().nullable(),
    /** Users that are being moved away, and to it. */
    leaving: z.int(),
    arriving: z.int(),
  }),
).extend({
  /** Shards that SHARDS names and that are not in use yet. */
  unused: z.array(z.string()),
  /** SHARDS as this process has it, without passwords. */
  configured: z.string(),
})
export const UpdateShard = z.object({ id: Id, state: State })
