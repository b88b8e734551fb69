import { type Shard, unlessUnavailable } from '../../../database/store.ts'
import * as store from './store.ts'

export interface Room {
  /** Of the disk of an embedded shard. */
  readonly free_bytes: number | null
  /** Of the database on PostgreSQL, which does not report its disk. */
  readonly size_bytes: number | null
}

const UNKNOWN: Room = { free_bytes: null, size_bytes: null }

/** Nothing is known of a shard that is down, or that this process does not have. */
export async function roomOf(shard: Shard | undefined): Promise<Room> {
  if (!shard) return UNKNOWN
  const read = Promise.all([shard.freeBytes(), store.databaseBytes(shard)])
  const [free, size] = (await read.catch(unlessUnavailable)) ?? []
  return { free_bytes: free ?? null, size_bytes: size ?? null }
}
