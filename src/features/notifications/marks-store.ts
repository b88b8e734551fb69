import type { Kysely } from 'kysely'
import { joined, split } from '../../database/joined.ts'
import { prepared, preparedForIds } from '../../database/prepared.ts'
import type { ShardTables } from '../../database/schema.ts'
import type { Shard } from '../../database/store.ts'

export async function readMarksAmong(
  shard: Shard,
  userId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await marksByIds(shard, ids, userId)
  return new Set(rows.map(({ notification_id }) => notification_id))
}

const marksByIds = preparedForIds((db: Kysely<ShardTables>, ids) =>
  db
    .selectFrom('notification_reads')
    .select('notification_id')
    .where('user_id', '=', '')
    .where('notification_id', 'in', ids),
)

/** All of a user's, with how many writes there have been by then. */
export async function readMarks(shard: Shard, userId: string) {
  const row = await shard
    .selectFrom('notification_reads')
    .select((eb) => [
      joined('notification_id').as('ids'),
      eb.selectFrom('residents').select('writes').where('residents.user_id', '=', userId).as('writes'),
    ])
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return { ids: split(row.ids), writes: row.writes ?? 0 }
}

/** Every mark is one of the user's writes into the shard, which counts them. */
export async function writesOf(shard: Shard, userId: string): Promise<number> {
  const [row] = await writesOfResident(shard, userId)
  return row?.writes ?? 0
}

const writesOfResident = prepared((db: Kysely<ShardTables>) =>
  db.selectFrom('residents').select('writes').where('user_id', '=', ''),
)

/** Marks that are there already stay; answers those that are new. */
export function insertReadMarks(shard: Shard, userId: string, ids: readonly string[]) {
  return shard
    .insertInto('notification_reads')
    .values(ids.map((notification_id) => ({ notification_id, user_id: userId })))
    .onConflict((conflict) => conflict.columns(['notification_id', 'user_id']).doNothing())
    .returning('notification_id')
}

export function deleteSomeReadMarks(shard: Shard, userId: string, atMost: number) {
  return shard
    .deleteFrom('notification_reads')
    .where('user_id', '=', userId)
    .where('notification_id', 'in', (eb) =>
      eb
        .selectFrom('notification_reads')
        .select('notification_id')
        .where('user_id', '=', userId)
        .orderBy('notification_id')
        .limit(atMost),
    )
    .returning('notification_id')
}
