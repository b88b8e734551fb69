import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Decision } from '../../../database/decision.ts'
import type { Shard } from '../../../database/store.ts'
import { IDEMPOTENCY_KEYS } from '../../ground/idempotency/statements.ts'
import { CREDITS } from '../../operations/credits/statements.ts'
import { eraseFeedbacks, FEEDBACKS } from '../../operations/feedback/statements.ts'
import { READ_MARKS } from '../../operations/notifications/statements.ts'
import type { Belonging } from '../shards/belongings.ts'

/** A user's rows in a shard. */
export const BELONGINGS: readonly Belonging[] = [FEEDBACKS, READ_MARKS, ...CREDITS, IDEMPOTENCY_KEYS]

/** 2 MB with the longest feedback. */
const ROWS_AT_ONCE = 50

/** A user's rows in pages, table by table. The first pages take one round trip, and few users have more. */
export async function* pagesOf(shard: Shard, userId: string) {
  const first = BELONGINGS.map((belonging) => pageAfter(shard, userId, belonging, ''))
  const pages = await shard.snapshot(first, 'primary')
  for (const [i, belonging] of BELONGINGS.entries()) {
    for (let rows = pages[i] ?? []; rows.length > 0; ) {
      yield { belonging, rows }
      if (rows.length < ROWS_AT_ONCE) break
      // An embedded store reads and hashes without a turn of the event loop.
      await nextTurn()
      rows = await pageAfter(shard, userId, belonging, String(rows.at(-1)?.[belonging.key])).execute()
    }
  }
}

function pageAfter(shard: Shard, userId: string, { table, key }: Belonging, after: string) {
  return anyTable(shard)
    .selectFrom(table)
    .selectAll()
    .where('user_id', '=', userId)
    .where(key, '>', after)
    .orderBy(key)
    .limit(ROWS_AT_ONCE)
}

export function insertBelongings(shard: Shard, table: Belonging['table'], rows: readonly BelongingRow[]) {
  return anyTable(shard).insertInto(table).values(rows)
}

export const ERASED_AT_ONCE = 200

/**
 * Deletes some of a user's rows in a shard, few enough for every time limit; totals are correct after each commit.
 * Returns true while there can be more rows.
 */
export async function eraseSome(shard: Shard, userId: string, decision: Decision): Promise<boolean> {
  // Feedback is counted, so it is deleted with its counts.
  const uncounted = BELONGINGS.filter((belonging) => belonging !== FEEDBACKS)
  const erased = await decision.read([
    ...eraseFeedbacks(shard, userId, ERASED_AT_ONCE),
    ...uncounted.map((belonging) => deleteSome(shard, userId, belonging)),
  ])
  return erased.some((rows) => rows.length >= ERASED_AT_ONCE)
}

/** Runs after the lock on the user's row in `residents`: nobody else writes for this user. */
function deleteSome(shard: Shard, userId: string, { table, key }: Belonging) {
  const db = anyTable(shard)
  const some = db.selectFrom(table).select(key).where('user_id', '=', userId).limit(ERASED_AT_ONCE)
  return db.deleteFrom(table).where('user_id', '=', userId).where(key, 'in', some).returning(key)
}

/** The number of these rows that the user has here. */
export async function countKeys(
  shard: Shard,
  userId: string,
  { table, key }: Belonging,
  keys: readonly string[],
): Promise<number> {
  const { rows } = await anyTable(shard)
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('user_id', '=', userId)
    .where(key, 'in', keys)
    .executeTakeFirstOrThrow()
  return rows
}

/**
 * The number of rows of each table, and a digest that does not depend on their order, since servers sort text
 * differently.
 */
export async function fingerprintsOf(
  shard: Shard,
  userId: string,
  onPage: () => Promise<void>,
): Promise<ReadonlyMap<Belonging['table'], string>> {
  const prints = new Map<Belonging['table'], { count: number; readonly sum: Buffer }>()
  for await (const { belonging, rows } of pagesOf(shard, userId)) {
    const print = prints.get(belonging.table) ?? { count: 0, sum: Buffer.alloc(32) }
    prints.set(belonging.table, print)
    print.count += rows.length
    for (const row of rows) addInto(print.sum, digestOf(row))
    await onPage()
  }
  return new Map([...prints].map(([table, { count, sum }]) => [table, `${count} ${sum.toString('hex')}`]))
}

export type BelongingRow = Readonly<Record<string, string | number | null>>

function digestOf(row: BelongingRow): Buffer {
  const cells = Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(cells)).digest()
}

function addInto(sum: Buffer, digest: Buffer): void {
  for (const [i, byte] of digest.entries()) sum[i] = (sum[i] ?? 0) ^ byte
}

/** The table is only known at run time, so rows have no type here. */
function anyTable(shard: Shard): Kysely<Record<string, BelongingRow>> {
  return shard.primary as unknown as Kysely<Record<string, BelongingRow>>
}
