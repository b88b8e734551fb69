import { protectedRoute } from '../../../http/route.ts'
import { Page } from '../../../rules/paging.ts'
import { ShardRow, ShardRows, UpdateShard } from './input.ts'
import { listShards, setShardState } from './shards.ts'

export const shardRoutes = [
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_shards',
    summary: 'List the shards, with their state and number of users',
    scope: 'admin:shards:read',
    input: Page,
    output: ShardRows,
    handle: ({ platform }, page) => listShards(platform, page),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/update_shard',
    summary: 'Let a shard accept new users, or drain it',
    scope: 'admin:shards:write',
    input: UpdateShard,
    output: ShardRow,
    handle: (call, { id, state }) => setShardState(call, id, state),
  }),
] as const
