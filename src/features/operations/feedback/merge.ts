import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Order, Slice } from '../../../rules/paging.ts'
import type { Key } from './store.ts'

/** One shard's rows in order, from any key on. */
export interface Source<Row extends Key> {
  /** The key that is this many steps after the given one; undefined if there are fewer rows. */
  keyAfter(after: Key | undefined, steps: number): Promise<Key | undefined>
  /** The number of all rows, and the first keys after that one, both of one moment. */
  totalAndKeys(after: Key | undefined, limit: number): Promise<Part>
  /** In any order, and without rows deleted meanwhile. */
  rowsWith(ids: readonly string[]): Promise<readonly Row[]>
}

interface Part {
  readonly total: number
  readonly keys: readonly Key[]
}

/** Each can have a hundred kilobytes. */
const ROWS_AT_ONCE = 10

interface Cursor<Row extends Key> {
  readonly source: Source<Row>
  after: Key | undefined
}

/** The page of the merged order: rows before it are skipped without being fetched. */
export async function mergedPage<Row extends Key>(
  sources: readonly Source<Row>[],
  { offset, limit }: Slice,
  order: Order,
): Promise<{ readonly total: number; readonly items: Row[] }> {
  const cursors = sources.map((source): Cursor<Row> => ({ source, after: undefined }))
  const inOrder = order === 'newest' ? newestFirst : oldestFirst
  const toSkip = await passOver(cursors, offset, inOrder)
  const end = toSkip === undefined ? 0 : toSkip + limit
  const parts = await Promise.all(
    cursors.map(async ({ source, after }) => ({ source, ...(await source.totalAndKeys(after, end)) })),
  )
  const keys = parts
    .flatMap((part) => part.keys.map(({ id, created_at }) => ({ id, created_at, source: part.source })))
    .sort(inOrder)
    .slice(toSkip, end)
  return { total: parts.reduce((sum, part) => sum + part.total, 0), items: await rowsOf(keys) }
}

/** Reads only the page's rows. */
async function rowsOf<Row extends Key>(keys: readonly (Key & { readonly source: Source<Row> })[]): Promise<Row[]> {
  const rows = new Map<string, Row>()
  for (const [source, own] of Map.groupBy(keys, (key) => key.source)) {
    for (const row of await inParts(own, (ids) => source.rowsWith(ids))) rows.set(row.id, row)
  }
  return keys.flatMap(({ id }) => rows.get(id) ?? [])
}

/** In the order of the keys, a few at a time: an embedded store reads without a turn of the event loop. */
export async function inParts<Row extends { readonly id: string }>(
  keys: readonly Key[],
  rowsWith: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows = new Map<string, Row>()
  for (let from = 0; from < keys.length; from += ROWS_AT_ONCE) {
    if (from > 0) await nextTurn()
    const ids = keys.slice(from, from + ROWS_AT_ONCE).map(({ id }) => id)
    for (const row of await rowsWith(ids)) rows.set(row.id, row)
  }
  return keys.flatMap(({ id }) => rows.get(id) ?? [])
}

const SHORTEST_STRIDE = 50

/**
 * Looks, in each of k shards, at the key `toSkip / k` ahead. At most `toSkip` rows of all shards lie before the
 * smallest of these keys, so its shard can skip to it. Returns the number of rows left to skip, undefined if there are
 * fewer.
 */
async function passOver<Row extends Key>(
  cursors: readonly Cursor<Row>[],
  offset: number,
  inOrder: (a: Key, b: Key) => number,
): Promise<number | undefined> {
  let toSkip = offset
  for (;;) {
    const stride = Math.floor(toSkip / cursors.length)
    if (stride < SHORTEST_STRIDE) return toSkip
    const ahead = await Promise.all(
      cursors.map(async (cursor) => ({ cursor, key: await cursor.source.keyAfter(cursor.after, stride) })),
    )
    const [first] = ahead.flatMap(({ cursor, key }) => (key ? [{ cursor, ...key }] : [])).sort(inOrder)
    if (!first) return undefined
    first.cursor.after = first
    toSkip -= stride
  }
}

/** Both engines compare ids by their bytes; ours are ASCII, as is this. */
function newestFirst(a: Key, b: Key): number {
  if (a.created_at !== b.created_at) return b.created_at - a.created_at
  return a.id < b.id ? 1 : -1
}

function oldestFirst(a: Key, b: Key): number {
  return newestFirst(b, a)
}
