import { findKept } from '../../database/instance.ts'
import { settingsInClear, settingsWithoutSecrets } from '../../features/ground/settings/transfer.ts'
import { countMoves } from '../../features/tenancy/shards/move-statements.ts'
import { listedShards } from '../../features/tenancy/shards/statements.ts'
import type { Platform } from '../../platform/platform.ts'
import { newId } from '../../rules/ids.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import type { Header, Line } from './lines.ts'
import { type AnyStore, countRows, META_TABLES, rowsOf, SHARD_TABLES, type Table } from './tables.ts'

export type TransferProgress = (done: number, total: number) => void

type Source = Pick<Platform, 'meta' | 'shards' | 'secretBox' | 'now'>

/** Yields everything that lasts, line by line; no process can write in the meantime. */
export async function* exportAll(
  source: Source,
  secrets: 'with secrets' | 'without secrets',
  progress: TransferProgress,
): AsyncGenerator<Header | Line> {
  const header = await headerOf(source)
  yield header
  const settings = secrets === 'with secrets' ? settingsInClear(source) : settingsWithoutSecrets(source)
  yield { settings: await settings }
  let rows = 0
  for await (const line of rowLines(storesOf(source, header.shards))) {
    yield line
    if (++rows % 500 === 0) progress(rows, header.rows)
  }
  yield { end: true, rows }
  progress(rows, rows)
}

async function* rowLines(parts: readonly Part[]): AsyncGenerator<Line> {
  for (const { name, store, tables } of parts)
    for (const table of tables)
      for await (const row of rowsOf(store, table)) yield { store: name, table: table.table, row }
}

async function headerOf(source: Source): Promise<Header> {
  const { meta, now } = source
  if ((await countMoves(meta)) > 0)
    throw new OperatorError('users are being moved between shards; start the service and let the moves finish')
  const shards = (await listedShards(meta)).map(({ id }) => id)
  const counts = storesOf(source, shards).flatMap(({ store, tables }) => tables.map((table) => countRows(store, table)))
  return {
    format: 'gatehouse-export-1',
    id: newId(),
    created_at: now(),
    password_iterations: Number(await findKept(meta, 'password_iterations')),
    shards,
    rows: (await Promise.all(counts)).reduce((sum, count) => sum + count, 0),
  }
}

interface Part {
  readonly name: string
  readonly store: AnyStore
  readonly tables: readonly Table[]
}

function storesOf({ meta, shards }: Source, ids: readonly string[]): readonly Part[] {
  const parts = ids.map((id) => {
    const store = shards.get(id)
    if (!store) throw new OperatorError(`shard ${id} is in use, but is not in SHARDS; add it there`)
    return { name: id, store, tables: SHARD_TABLES }
  })
  return [{ name: 'meta', store: meta, tables: META_TABLES }, ...parts]
}
