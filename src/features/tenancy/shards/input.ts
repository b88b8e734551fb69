import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { listOf } from '../../../rules/paging.ts'

const State = z.enum(['active', 'draining'])

export const ShardRow = z.object({ id: z.string(), region: z.string(), state: State, users: z.int() })
export const ShardRows = listOf(ShardRow)
export const UpdateShard = z.object({ id: Id, state: State })
