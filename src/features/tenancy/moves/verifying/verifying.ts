import type { Shard } from '../../../../database/store.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { countersAndRows } from '../../../operations/feedback/statements.ts'
import { findResident } from '../../shards/holding.ts'
import { getShard } from '../../shards/shards.ts'
import { homesOf, listedShards } from '../../shards/statements.ts'
import { BELONGINGS, pagesOf } from '../belongings-store.ts'
import * as store from './verify-store.ts'

/** A difference between the global store and a shard. */
interface Disagreement {
  readonly shard: string
  readonly user_id: string | null
  readonly words: string
}

const USERS_AT_ONCE = 500

/** Compares the global store with the shards, even while users write and are moved. */
export async function* verifyShards(platform: Platform): AsyncGenerator<Disagreement> {
  for (const { id } of await listedShards(platform.meta)) {
    if (!platform.shards.has(id)) {
      yield { shard: id, user_id: null, words: 'is registered, but is not in SHARDS' }
      continue
    }
    yield* disagreementsOn(platform, getShard(platform, id))
  }
}

export async function* disagreementsOn(platform: Platform, shard: Shard): AsyncGenerator<Disagreement> {
  yield* wrongCounters(shard)
  yield* strays(platform, shard)
}

async function* wrongCounters(shard: Shard): AsyncGenerator<Disagreement> {
  for (const kind of ['all', 'type', 'user'] as const) {
    const { counted, rows } = await countersAndRows(shard, kind)
    if (counted === rows) continue
    const words = `the feedback counters (${kind}) say ${counted}, there are ${rows} rows`
    yield { shard: shard.name, user_id: null, words }
  }
}

async function* strays(platform: Platform, shard: Shard): AsyncGenerator<Disagreement> {
  const seen = new Set<string>()
  for (const table of [...BELONGINGS.map((belonging) => belonging.table), 'residents'] as const) {
    for await (const owners of ownersOf(shard, table)) {
      const homes = await homesOf(platform.meta, owners)
      const isSuspect = (userId: string) => table === 'residents' || homes.get(userId) !== shard.name
      for (const userId of owners.filter((owner) => isSuspect(owner) && !seen.has(owner))) {
        if (table !== 'residents') seen.add(userId)
        yield* await lookAgain(platform, shard, userId)
      }
    }
  }
}

async function* ownersOf(shard: Shard, table: Parameters<typeof store.ownersIn>[1]) {
  for (let after = ''; ; ) {
    const owners = await store.ownersIn(shard, table, after, USERS_AT_ONCE)
    if (owners.length > 0) yield owners
    if (owners.length < USERS_AT_ONCE) return
    after = owners.at(-1) ?? after
  }
}

/** Looks again if the user was moved or erased meanwhile. */
async function lookAgain(platform: Platform, shard: Shard, userId: string): Promise<readonly Disagreement[]> {
  for (let turn = 1; turn <= TURNS; turn++) {
    const before = await store.whereaboutsOf(platform.meta, userId)
    if (before.isOnTheWay) return []
    const found = await disagreements(platform, shard, userId, before.home)
    if (found.length === 0) return []
    const after = await store.whereaboutsOf(platform.meta, userId)
    if (!after.isOnTheWay && after.home === before.home && after.moves === before.moves) return found
  }
  return []
}

// Each further turn needs a whole move between two statements; a user who moves that often is checked next time.
const TURNS = 10

async function disagreements(
  platform: Platform,
  shard: Shard,
  userId: string,
  home: string | null,
): Promise<readonly Disagreement[]> {
  const at = { shard: shard.name, user_id: userId }
  const { state, attempt = 0 } = (await findResident(shard, userId)) ?? {}
  if (home === shard.name) {
    const isClosed = state !== undefined && state !== 'open'
    return isClosed ? [{ ...at, words: `is at home here, but closed to writes (${state})` }] : []
  }
  const owner = home === null ? 'a user that does not exist' : `a user of ${home}`
  const rows = await strayRows(shard, userId)
  const found = rows.map((row) => ({ ...at, words: `${row} belongs to ${owner}` }))
  if (state === undefined) return found
  if (state !== 'gone') return [...found, { ...at, words: `is ${state} here, but it is ${owner}` }]
  if (home === null || (await hasSeen(platform, home, userId, attempt))) return found
  return [...found, { ...at, words: `was moved to ${home}, which has lost that move: rows are missing there` }]
}

/** A move numbers the user in both shards. */
async function hasSeen(platform: Platform, home: string, userId: string, attempt: number): Promise<boolean> {
  // Reported for the shard itself.
  if (!platform.shards.has(home)) return true
  const there = await findResident(getShard(platform, home), userId)
  return attempt <= (there?.attempt ?? 0)
}

async function strayRows(shard: Shard, userId: string): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { belonging, rows } of pagesOf(shard, userId))
    found.push(...rows.map((row) => `${belonging.table} ${row[belonging.key]}`))
  return found
}
