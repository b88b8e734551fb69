import type { Meta } from '../../platform/store.ts'
import type { ShardsTable } from '../../store/schema.ts'

export function activeByFill(meta: Meta) {
  return meta.primary
    .selectFrom('shards')
    .leftJoin('user_shards', 'user_shards.shard_id', 'shards.id')
    .select(['shards.id', 'shards.region', (eb) => eb.fn.count<number>('user_shards.user_id').as('users')])
    .where('shards.state', '=', 'active')
    .groupBy(['shards.id', 'shards.region'])
    .orderBy('users')
    .orderBy('shards.id')
    .execute()
}

export async function insertShard(meta: Meta, row: Omit<ShardsTable, 'state'>): Promise<void> {
  await meta
    .insertInto('shards')
    .values({ ...row, state: 'active' })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export async function allIds(meta: Meta): Promise<readonly string[]> {
  const rows = await meta.primary.selectFrom('shards').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

export async function shardIdOf(meta: Meta, userId: string): Promise<string | undefined> {
  const row = await meta.primary
    .selectFrom('user_shards')
    .select('shard_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.shard_id
}
