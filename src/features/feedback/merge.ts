import type { Shard } from '../../database/store.ts'
import type { Slice } from '../../rules/paging.ts'
import type { Key } from './store.ts'

/** One shard's keys in order, from any place on. */
export interface Source {
  readonly shard: Shard
  keys(after: Key | undefined, slice: Slice): Promise<readonly Key[]>
}

type Cursor = Source & { after: Key | undefined }
type PlacedKey = Key & { readonly shard: Shard }

/** The page of the merged order: what comes before it is passed over first, without being fetched. */
export async function keysOfPage(sources: readonly Source[], { offset, limit }: Slice) {
  const cursors = sources.map((source): Cursor => ({ ...source, after: undefined }))
  const toSkip = await passOver(cursors, offset)
  const keys = await Promise.all(cursors.map((cursor) => nextKeys(cursor, toSkip + limit)))
  return keys
    .flat()
    .sort(newestFirst)
    .slice(toSkip, toSkip + limit)
}

const SHORTEST_STRIDE = 50

/**
 * Of k shards, look at each one's key `toSkip / k` ahead. Up to the newest of these lie at most
 * `toSkip` keys in all, so that shard may step there. Answers how many are left to skip.
 */
async function passOver(cursors: readonly Cursor[], offset: number): Promise<number> {
  let toSkip = offset
  for (;;) {
    const stride = Math.floor(toSkip / cursors.length)
    if (stride < SHORTEST_STRIDE) return toSkip
    const ahead = await Promise.all(
      cursors.map(async (cursor) => ({ cursor, key: await keyAhead(cursor, stride) })),
    )
    const [newest] = ahead.flatMap(({ cursor, key }) => (key ? [{ cursor, ...key }] : [])).sort(newestFirst)
    if (!newest) return toSkip
    newest.cursor.after = newest
    toSkip -= stride
  }
}

async function keyAhead(cursor: Cursor, stride: number): Promise<Key | undefined> {
  const [key] = await cursor.keys(cursor.after, { offset: stride - 1, limit: 1 })
  return key
}

async function nextKeys(cursor: Cursor, limit: number): Promise<readonly PlacedKey[]> {
  const keys = await cursor.keys(cursor.after, { offset: 0, limit })
  return keys.map((key) => ({ ...key, shard: cursor.shard }))
}

/** Both engines compare ids by their bytes; ours are ASCII, as is this. */
function newestFirst(a: Key, b: Key): number {
  if (a.created_at !== b.created_at) return b.created_at - a.created_at
  return a.id < b.id ? 1 : -1
}
