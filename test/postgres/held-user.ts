import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Config } from '../../src/config/config.ts'
import type { Meta, Shard } from '../../src/database/store.ts'
import { openStores } from '../../src/database/stores.ts'
import type { Service } from '../service/service.ts'
import { withClient } from './databases.ts'
import { LONGEST_MILLISECONDS, started, untilWaiting } from './waiting-acts.ts'

type Act<T> = () => Promise<T>

/** Done by the other transaction before the acts start, and undone afterwards. */
interface Hold {
  readonly sql: string
  readonly values?: readonly string[]
}

/**
 * Starts each act once the one before waits for a lock, while another transaction holds the user's row; then
 * releases it. On an embedded store, which has one writer, the acts start together.
 */
export function whileUserIsHeld<T>(service: Service, userId: string, acts: readonly Act<T>[]) {
  return whileHeld(service, { sql: 'select from "user" where id = $1 for update', values: [userId] }, acts)
}

/**
 * The same with any other lock. A table locked in `share` mode can be read, and its rows locked, but not
 * written.
 */
export async function whileHeld<T>(
  { config, platform }: Service,
  { sql: hold, values = [] }: Hold,
  acts: readonly Act<T>[],
): Promise<readonly T[]> {
  const url = config.databaseUrl
  if (!url?.startsWith('postgres')) return Promise.all(acts.map((act) => act()))
  await openConnections(platform.meta, url, acts.length + 2)
  return withClient(url, async (holder) => {
    await holder.query('begin')
    await holder.query(hold, [...values])
    const started = await startInTurn(url, acts)
    await holder.query('rollback')
    return Promise.all(started)
  })
}

/** Acts while another transaction holds what the act does not wait for; on an embedded store nothing is held. */
export async function besideHeld({ config }: Service, { sql: hold, values = [] }: Hold, act: Act<void>): Promise<void> {
  const url = config.databaseUrl
  if (!url?.startsWith('postgres')) return act()
  await withClient(url, async (holder) => {
    await holder.query('begin')
    await holder.query(hold, [...values])
    await act()
    await holder.query('rollback')
  })
}

/** Opens stores that wait longer for a lock: a busy machine holds rows for as long as it needs. */
export function openPatiently(config: Config): ReturnType<typeof openStores> {
  const { databaseUrl, shards } = config
  return openStores({
    ...config,
    databaseUrl: databaseUrl && patient(databaseUrl),
    shards: shards.map((shard) => ({ ...shard, url: patient(shard.url) })),
  })
}

/** The address at which a store waits longer for a lock. */
export function patient(url: string): string {
  if (!url.startsWith('postgres')) return url
  const place = new URL(url)
  for (const limit of ['lock_timeout', 'statement_timeout', 'query_timeout'])
    place.searchParams.set(limit, String(2 * LONGEST_MILLISECONDS))
  return place.href
}

/** The server reads rows in the order of an index, as it does in large tables. */
export function asIfLarge(config: Config): Config {
  const { databaseUrl } = config
  if (!databaseUrl?.startsWith('postgres')) return config
  const url = new URL(databaseUrl)
  url.searchParams.set('options', '-c enable_bitmapscan=off -c enable_seqscan=off')
  return { ...config, databaseUrl: url.href }
}

/** Opens one for each act: otherwise an act would wait behind another's statement, and not at the row. */
export async function openConnections(store: Meta | Shard, url: string, count: number): Promise<void> {
  await withClient(url, async (watcher) => {
    const until = performance.now() + LONGEST_MILLISECONDS
    for (let open = 0; open < count; ) {
      if (performance.now() > until) throw new Error(`the store does not open ${count} connections`)
      const sleeping: Promise<unknown>[] = []
      for (let i = 0; i < count; i++) {
        sleeping.push(sql`select pg_sleep(0.2)`.execute(store.primary))
        // Reads of one turn share a connection.
        await pause(5)
      }
      open = (await watcher.query(ASLEEP)).rows[0].asleep
      await Promise.all(sleeping)
    }
  })
}

const ASLEEP = `select count(*)::int as asleep from pg_stat_activity
  where datname = current_database() and wait_event = 'PgSleep'`

function startInTurn<T>(url: string, acts: readonly Act<T>[]): Promise<readonly Promise<T>[]> {
  return withClient(url, async (watcher) => {
    const running: Promise<T>[] = []
    for (const act of acts) {
      const one = started(act())
      running.push(one.end)
      await untilWaiting(watcher, running.length, one)
    }
    return running
  })
}
