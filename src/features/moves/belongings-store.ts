import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { ShardTables } from '../../database/schema.ts'
import type { Shard } from '../../database/store.ts'

export type BelongingTable = 'feedbacks' | 'notification_reads' | 'credit_balance' | 'credit_entries'
export type BelongingRow = { readonly [Table in BelongingTable]: ShardTables[Table] }[BelongingTable]

/** Every table of a shard whose rows belong to a user, with the column that names a user's rows. */
export const BELONGINGS: readonly { readonly table: BelongingTable; readonly key: string }[] = [
  { table: 'feedbacks', key: 'id' },
  { table: 'notification_reads', key: 'notification_id' },
  { table: 'credit_balance', key: 'user_id' },
  { table: 'credit_entries', key: 'id' },
]

const ROWS_AT_ONCE = 500

/** A user's rows of one table, in pages. */
export async function* pagesOf(shard: Shard, userId: string, { table, key }: (typeof BELONGINGS)[number]) {
  for (let after = ''; ; ) {
    const rows = await anyTable(shard)
      .selectFrom(table)
      .selectAll()
      .where('user_id', '=', userId)
      .where(key, '>', after)
      .orderBy(key)
      .limit(ROWS_AT_ONCE)
      .execute()
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_AT_ONCE) return
    after = String(rows.at(-1)?.[key])
  }
}

export function insertBelongings(shard: Shard, table: BelongingTable, rows: readonly Row[]) {
  return anyTable(shard).insertInto(table).values(rows)
}

/** How many there are, and a digest that does not depend on their order: servers sort text differently. */
export async function fingerprintOf(
  shard: Shard,
  userId: string,
  belonging: (typeof BELONGINGS)[number],
  onPage: () => Promise<void>,
): Promise<string> {
  const sum = Buffer.alloc(32)
  let count = 0
  for await (const rows of pagesOf(shard, userId, belonging)) {
    count += rows.length
    for (const row of rows) addInto(sum, digestOf(row))
    await onPage()
  }
  return `${count} ${sum.toString('hex')}`
}

export type Row = Readonly<Record<string, string | number | null>>

function digestOf(row: Row): Buffer {
  const cells = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(cells)).digest()
}

function addInto(sum: Buffer, digest: Buffer): void {
  for (const [i, byte] of digest.entries()) sum[i] = (sum[i] ?? 0) ^ byte
}

/** Rows are taken as they come: which table it is, is known only when it runs. */
function anyTable(shard: Shard): Kysely<Record<string, Row>> {
  return shard.primary as unknown as Kysely<Record<string, Row>>
}
