import { sql } from 'kysely'
import { outsideBookmark } from '../../database/current-request.ts'
import { statement } from '../../database/prepared.ts'
import { sweepRows } from '../../database/sql/sweep-rows.ts'
import type { Meta } from '../../database/store.ts'
import type { Job } from '../background.ts'
import { type Bound, type Entry, type KeyValue, singles, type Write } from './key-value.ts'

/** In the global store: works everywhere, and is shared by all processes on one store. Always read on the primary. */
export function tableKeyValue(meta: Meta, now: () => number): KeyValue {
  const together: KeyValue['together'] = async (reads, writes) => {
    const at = now()
    const read = reads.length > 0 ? [entries(meta, at, ...reads)] : []
    const changes = writes.map((write) => writing(meta, write, at))
    const rows = changes.length > 0 ? await outsideBookmark(() => meta.batch([...read, ...changes])) : undefined
    const found = await Promise.all(read.map((query) => (rows ? rows.of(query) : meta.primary.run(query))))
    return {
      found: new Map(found.flat().map((row) => [row.key, entryOf(row, at)])),
      written: changes.map((change) => rows?.of(change).map((row) => entryOf(row, at))[0]),
    }
  }
  return {
    together,
    ...singles(together),
    async delete(...keys) {
      // In order, because every writer of several keys locks them in the same order.
      const deletions = keys.toSorted().map((key) => meta.deleteFrom('key_value').where('key', '=', key))
      await outsideBookmark(() => meta.batch(deletions))
    },
    ping: () => meta.ping(),
    // The global store is closed where it was opened.
    close: async () => {},
  }
}

/** Expired rows already count as absent; this frees their space. */
export function keyValueSweep(meta: Meta, now: () => number): Job {
  return {
    name: 'key-value-sweep',
    everySeconds: 300,
    run: () => sweepRows(meta, 'key_value', 'key', (row) => row('expires_at', '<=', now())),
  }
}

interface Row {
  readonly key: string
  readonly value: string
  readonly expires_at: number
}

const COLUMNS = ['key', 'value', 'expires_at'] as const

function entryOf({ value, expires_at }: Row, at: number): Entry {
  return { value, expiresInSeconds: Math.ceil((expires_at - at) / 1000) }
}

const entries = statement((meta: Meta, at: number, ...keys: readonly string[]) =>
  meta.selectFrom('key_value').select(COLUMNS).where('key', 'in', keys).where('expires_at', '>', at),
)

function writing(meta: Meta, write: Write, at: number) {
  const { key, lifetimeSeconds, while: bounds = [] } = write
  const expiresAt = at + Math.ceil(lifetimeSeconds * 1000)
  return 'add' in write
    ? adding(meta, at, { key, value: String(write.add), expires_at: expiresAt }, ...bounds)
    : setting(meta, at, { key, value: write.value, expires_at: expiresAt }, ...bounds)
}

/** The key is unique: the conflict locks the row, and its end is checked again after a wait. */
const setting = statement((meta: Meta, at: number, row: Row, ...bounds: readonly Bound[]) =>
  inserting(meta, at, row, bounds)
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet((row) => ({ value: row.ref('excluded.value'), expires_at: row.ref('excluded.expires_at') }))
        .where('key_value.expires_at', '<=', at),
    )
    .returning(COLUMNS),
)

/** The conflict locks the row, so that no step of two callers is lost. */
const adding = statement((meta: Meta, at: number, row: Row, ...bounds: readonly Bound[]) => {
  const over = sql`key_value.expires_at <= ${at}`
  return inserting(meta, at, row, bounds)
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        value: sql<string>`case when ${over} then excluded.value else cast(cast(key_value.value as bigint) + cast(excluded.value as bigint) as text) end`,
        expires_at: sql<number>`case when ${over} then excluded.expires_at else key_value.expires_at end`,
      }),
    )
    .returning(COLUMNS)
})

/** The bounds can be passed meanwhile, so the count that each caller's own write returned is checked again. */
function inserting(meta: Meta, at: number, { key, value, expires_at }: Row, bounds: readonly Bound[]) {
  const insert = meta.insertInto('key_value')
  if (bounds.length === 0) return insert.values({ key, value, expires_at })
  const values = sql<Row>`select cast(${key} as text), cast(${value} as text), cast(${expires_at} as bigint)`
  const areBelow = sql.join(
    bounds.map((bound) => isBelow(bound, at)),
    sql` and `,
  )
  return insert.columns(COLUMNS).expression(sql<Row>`${values} where ${areBelow}`)
}

/** A subquery's columns are computed for its own row only, so no other row's text is read as a count. */
function isBelow({ key, below }: Bound, at: number) {
  const count = sql`select cast(value as bigint) from key_value where key = ${key} and expires_at > ${at}`
  return sql`coalesce((${count}), 0) < ${below}`
}
