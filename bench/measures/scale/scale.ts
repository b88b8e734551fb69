import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { v7 as newId } from 'uuid'
import { type Config, readConfig } from '../../../src/config/config.ts'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import type { MetaTables } from '../../../src/database/schema/tables.ts'
import { Store } from '../../../src/database/store.ts'
import { closeStores, openStores } from '../../../src/database/stores.ts'
import { listFeedbacks } from '../../../src/features/operations/feedback/listing.ts'
import { openPlatform } from '../../../src/platform/open.ts'
import { prepareStores } from '../../../src/prepare.ts'
import { command, schemaUrl } from '../../../test/postgres/databases.ts'
import { type Figure, quantile, round } from '../../load/measure.ts'

const USERS = 50_000
const FEEDBACKS = 100_000
/** Prime, so that the users who are requested are far apart. */
const STEP = 7_919
const IN_FLIGHT = 32
const LISTINGS = 20
const NO_SECRETS = { authSecret: 'x'.repeat(43), configEncryptionKey: '0'.repeat(64) }

/** Every shard of the simulation is the same schema: our side of a fan-out does not know the difference. */
function configOf(url: string, count: number): Config {
  const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: 'error' })
  const place = { region: 'apac', url: schemaUrl(url, 'shard'), replicaUrls: [] }
  return { ...config, shards: Array.from({ length: count }, (_, i) => ({ id: `apac-${i + 1}`, ...place })) }
}

export async function fillStores(url: string): Promise<void> {
  await command(url, 'create schema shard')
  await prepared(configOf(url, 1))
  await command(url, FILLING)
}

/** With one shard, since no other may claim its schema. */
async function prepared(config: Config): Promise<number> {
  const stores = await openStores(config)
  const iterations = await prepareStores(config, stores, Date.now, 1)
  await closeStores(stores)
  return iterations
}

const FILLING = `
  insert into "user" (id, name, email, email_verified, aff_code, role, created_at, updated_at)
    select 'u' || i, 'Ann', 'ann' || i || '@example.com', 1, 'a' || i, 'user', i, i
    from generate_series(1, ${USERS}) as i;
  insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at)
    select 's' || i, 'u' || i, 't' || i, i, i, 9e15::bigint / 2, i from generate_series(1, ${USERS}) as i;
  insert into shard.feedbacks (id, user_id, type, content, status, note, created_at, updated_at)
    select 'f' || i, 'u' || i % ${USERS}, 'idea', repeat('x', 200), 'new', '', i, i
    from generate_series(1, ${FEEDBACKS}) as i;
  insert into shard.feedback_counts (kind, value, slot, feedbacks) values ('all', '', 0, ${FEEDBACKS});
  analyze;
`

/** Callers looked up and sign-ins written a second, by one process over so many connections. */
export async function globalStoreOver(url: string, connections: number, seconds: number) {
  const meta = new Store<MetaTables>(new PostgresEngine('meta', { url, connections }))
  let turn = 0
  const one = () => 1 + ((turn++ * STEP) % USERS)
  const lookUp = () =>
    meta.primary
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.user_id')
      .selectAll('user')
      .where('token_hash', '=', `t${one()}`)
      .execute()
  const signIn = () => meta.batch(signInOf(meta, `u${one()}`))
  await perSecond(seconds / 4, lookUp)
  const reads = await perSecond(seconds, lookUp)
  const writes = await perSecond(seconds, signIn)
  await meta.close()
  const figure: Figure = {
    what: `global store, connections: ${connections}`,
    'callers per second': Math.round(reads),
    'sign-ins per second': Math.round(writes),
  }
  return { reads, writes, figure }
}

/** What a sign-in writes: a session and an audit entry. */
function signInOf(meta: Store<MetaTables>, userId: string) {
  const now = Date.now()
  return [
    meta.insertInto('session').values({
      id: newId(),
      user_id: userId,
      token_hash: randomBytes(32).toString('hex'),
      created_at: now,
      refreshed_at: now,
      expires_at: now,
      confirmed_at: 0,
      last_used_at: now,
    }),
    meta
      .insertInto('event')
      .values({ id: newId(), created_at: now, action: 'sign-in', actor_id: userId, details: '{}' }),
  ] as const
}

async function perSecond(seconds: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  let done = 0
  const visitor = async () => {
    while (performance.now() - started < seconds * 1000) {
      await work()
      done++
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, visitor))
  return (done * 1000) / (performance.now() - started)
}

/** The first page of all feedbacks, one request after the other. */
export async function listingOver(url: string, shards: number) {
  const iterations = await prepared(configOf(url, 1))
  const config = configOf(url, shards)
  const stores = await openStores(config)
  // A server starts one process after the other for its connections; a start of the service opens them before it serves.
  for (const shard of stores.shards.values()) await shard.ping()
  const rows = config.shards.map(({ id, region }) => ({
    id,
    region,
    state: 'active' as const,
    created_at: 0,
  }))
  await stores.meta
    .insertInto('shards')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const platform = await openPlatform(config, stores, NO_SECRETS, iterations)
  const milliseconds: number[] = []
  for (let i = -2; i < LISTINGS; i++) {
    const started = performance.now()
    await listFeedbacks(platform, { order: 'newest', page: 1, page_size: 20 })
    if (i >= 0) milliseconds.push(performance.now() - started)
  }
  const backends = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity where application_name = 'gatehouse'`.execute(stores.meta)
  await platform.close()
  const median = quantile(milliseconds, 0.5)
  const figure: Figure = {
    what: `listing, shards: ${shards}`,
    'median ms': round(median),
    'p95 ms': round(quantile(milliseconds, 0.95)),
    'connections open': backends.rows[0]?.count ?? 0,
  }
  return { median, figure }
}
