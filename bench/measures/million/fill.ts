import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import { DAY_MILLISECONDS } from '../../../src/rules/time.ts'
import { tokenHash } from '../../../src/rules/tokens.ts'
import { command, withClient } from '../../../test/postgres/databases.ts'
import { installationOnPostgres } from '../../on-postgres.ts'
import { type Folder, organizationId, preparedFolder, sessionToken, startOurs, userId } from '../../ours.ts'
import { globalRows, ownOrganization, SHARDS, shardRows, sizeOf } from '../../rows/many-people.ts'
import type { Server } from '../../server.ts'

/** Prime, so that the users who are requested are far apart. */
const STEP = 7_919
export const CALLERS = 1_000

/** The number of one of the callers among all users. */
export function numberOf(caller: number, users: number): number {
  return (caller * STEP) % users
}

/** A running service with this many users. */
export type Filled = Awaited<ReturnType<typeof filled>>

/** Where the data is. */
interface Place {
  readonly store?: Pick<Server, 'cpuMilliseconds'>
  fill(store: 'meta' | (typeof SHARDS)[number], statements: readonly string[]): Promise<void>
  change(sql: string): Promise<void>
  start(): Promise<Server>
  stop(): Promise<void>
}

export async function filledFolder(users: number): Promise<Filled> {
  const folder = await preparedFolder()
  return filled(users, {
    fill: async (store, statements) => fillFile(folder, store, statements),
    async change(sql) {
      using meta = folder.open('meta')
      meta.exec(sql)
    },
    start: () => startOurs(folder),
    stop: async () => folder[Symbol.asyncDispose](),
  })
}

export async function filledPostgres(users: number): Promise<Filled> {
  const installation = await installationOnPostgres()
  const { url, urlOf, store } = installation
  return filled(users, {
    store,
    fill: (name, statements) => fillDatabase(urlOf(name), statements),
    change: (sql) => command(url, sql),
    start: () => installation.start('million'),
    stop: () => installation[Symbol.asyncDispose](),
  })
}

async function filled(users: number, place: Place) {
  const now = Date.now()
  const size = sizeOf(users)
  await place.fill('meta', [...globalRows(size, now), ...sessionRows(users, now)])
  for (const [i, shard] of SHARDS.entries()) await place.fill(shard, shardRows(size, i, now))
  const server = await place.start()
  const stop = () => server[Symbol.asyncDispose]()
  return {
    users,
    server,
    /** Processor time of the service and its store. */
    cpuMilliseconds: () => server.cpuMilliseconds() + (place.store?.cpuMilliseconds() ?? 0),
    /** The largest organisation invites the callers who are not in it, and sends no letter. */
    async invited() {
      const callers = Array.from({ length: CALLERS }, (_, i) => i).filter((i) => numberOf(i, users) % 10 > 0)
      await place.change(`insert into organization_invitation
        (id, organization_id, email, roles, team_ids, inviter_id, status, created_at, expires_at)
        select id, '${organizationId(0)}', email, 'member', '', '${userId(0)}', 'pending', ${now}, ${now + DAY_MILLISECONDS}
        from "user" where id in (${callers.map((i) => `'${userId(numberOf(i, users))}'`)})`)
      return callers.map((i) => ({ invitationId: userId(numberOf(i, users)), token: sessionToken(i) }))
    },
    /** Stops the service, runs this SQL in the global store, and returns how long another start takes. */
    async restarted(sql: readonly string[]) {
      await stop()
      await place.change(sql.join(';'))
      const started = performance.now()
      await using _server = await place.start()
      return Math.round(performance.now() - started) / 1000
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await place.stop()
    },
  }
}

/** The administrator's session, and those of the callers, of whom every other one acts in an organisation. */
function sessionRows(users: number, now: number): readonly string[] {
  const callers = Array.from({ length: CALLERS }, (_, i) => `'${userId(numberOf(i, users))}'`)
  const administrator = `(select id from "user" where role = 'administrator')`
  const sessions = [administrator, ...callers].map(
    (user, i) =>
      `insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at, confirmed_at)
       values ('of a ${i % 2 === 1 ? 'member' : 'caller'} ${i}', ${user}, '${tokenHash(sessionToken(i - 1))}', ${now}, ${now},
         ${now + DAY_MILLISECONDS}, ${now}, ${now})`,
  )
  const own = `update session set active_organization_id = ${ownOrganization('user_id')} where id like 'of a member %'`
  return [...sessions, own]
}

/** Indexes and triggers are made at the end: sorting once is faster than inserting ten million times in the middle. */
function fillFile(folder: Folder, file: Parameters<Folder['open']>[0], statements: readonly string[]): void {
  using database = folder.open(file)
  database.exec('pragma synchronous = off; pragma cache_size = -400000; pragma temp_store = memory')
  const made = database
    .prepare(`select type, name, sql from sqlite_master where type in ('index', 'trigger') and sql is not null`)
    .all()
  database.exec('begin')
  for (const { type, name } of made) database.exec(`drop ${type} "${name}"`)
  for (const statement of statements) database.exec(statement)
  for (const { sql } of made) database.exec(String(sql))
  for (const of of file === 'meta' ? ['user', 'organization'] : [])
    database.exec(`insert into ${of}_grams (${of}_grams) values ('rebuild')`)
  database.exec('commit; pragma wal_checkpoint(truncate)')
}

async function fillDatabase(url: string, statements: readonly string[]): Promise<void> {
  await withClient(url, async (client) => {
    const { rows: indexes } = await client.query<{ name: string; sql: string }>(INDEXES_WITHOUT_CONSTRAINT)
    await client.query(
      `set synchronous_commit = off; set maintenance_work_mem = '256MB'; set session_replication_role = replica`,
    )
    for (const { name } of indexes) await client.query(`drop index "${name}"`)
    for (const statement of statements) await client.query(statement)
    for (const { sql } of indexes) await client.query(sql)
  })
  await command(url, 'vacuum analyze')
}

const INDEXES_WITHOUT_CONSTRAINT = `select indexname as name, indexdef as sql from pg_indexes
  where schemaname = current_schema()
    and indexname not in (select conname from pg_constraint where connamespace = current_schema()::regnamespace)`

/** SQL that takes the newest step of the global store back. */
const UNDO = {
  SQLite: [
    ...['drop trigger organization_searchable', 'drop trigger organization_searchable_again'],
    ...['drop table organization_gram_terms', 'drop table organization_grams', 'drop table organization_search'],
  ],
  PostgreSQL: ['drop function organization_searchable cascade', 'drop table organization_search'],
}
const UNDONE = '0027-organization-search'

/** SQL that returns a store to the version before. */
export function versionBefore(engine: keyof typeof UNDO): readonly string[] {
  if (metaMigrations.at(-1)?.name !== UNDONE) throw new Error('say in UNDO how the newest step is taken back')
  const forget = "delete from instance where name = 'organizations_in_search_index'"
  return [...UNDO[engine], forget, `delete from schema_migration where name = '${UNDONE}'`]
}
