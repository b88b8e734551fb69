import type { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import { DAY_MILLISECONDS } from '../../../src/rules/time.ts'
import { tokenHash } from '../../../src/rules/tokens.ts'
import { command, withClient } from '../../../test/postgres/databases.ts'
import { installationOnPostgres } from '../../on-postgres.ts'
import { type Folder, preparedFolder, sessionToken, startOurs, userId } from '../../ours.ts'
import { globalRows, SHARDS, shardRows, sizeOf } from '../../rows/many-people.ts'
import type { Server } from '../../server.ts'
import { secondsUntilReady } from './migration.ts'
import { tablesReadWhole } from './plans.ts'

/** Prime, so that the users who are requested are far apart. */
const STEP = 7_919
export const CALLERS = 400

/** The number of one of the callers among all users. */
export function numberOf(caller: number, users: number): number {
  return (caller * STEP) % users
}

/** A running service with this many users. */
export interface Filled extends AsyncDisposable {
  readonly users: number
  readonly server: Server
  /** Processor time of the service and its store. */
  cpuMilliseconds(): number
  /** Stops the service, sends requests to another, and returns the tables that PostgreSQL read whole for them. */
  tablesReadWhole?(ask: (server: Server) => Promise<void>): Promise<readonly string[]>
  /** Stops the service, runs this SQL in the global store, and returns how long another start takes. */
  restarted(sql: readonly string[]): Promise<number>
}

export async function filledFolder(users: number): Promise<Filled> {
  const folder = await preparedFolder()
  const now = Date.now()
  const size = sizeOf(users)
  fillFile(folder, 'meta', [...globalRows(size, now), ...sessionRows(users, now)])
  for (const [i, shard] of SHARDS.entries()) fillFile(folder, shard, shardRows(size, i, now))
  const server = await startOurs(folder)
  return {
    users,
    server,
    cpuMilliseconds: () => server.cpuMilliseconds(),
    async restarted(sql) {
      await server[Symbol.asyncDispose]()
      changeFile(folder, sql)
      return secondsUntilReady(() => startOurs(folder))
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

export async function filledPostgres(users: number): Promise<Filled> {
  const installation = await installationOnPostgres()
  const now = Date.now()
  const size = sizeOf(users)
  await fillDatabase(installation.url, [...globalRows(size, now), ...sessionRows(users, now)])
  for (const [i, url] of installation.shardUrls.entries()) await fillDatabase(url, shardRows(size, i, now))
  const server = await installation.start('million')
  return {
    users,
    server,
    cpuMilliseconds: () => server.cpuMilliseconds() + installation.store.cpuMilliseconds(),
    async tablesReadWhole(ask) {
      await server[Symbol.asyncDispose]()
      return tablesReadWhole(installation, ask)
    },
    async restarted(sql) {
      await server[Symbol.asyncDispose]()
      await withClient(installation.url, (client) => client.query(sql.join(';')))
      return secondsUntilReady(() => installation.start('million'))
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await installation[Symbol.asyncDispose]()
    },
  }
}

function changeFile(folder: Folder, sql: readonly string[]): void {
  using database: DatabaseSync = folder.open('meta')
  database.exec(sql.join(';'))
}

/** The administrator's session, and those of the callers. */
function sessionRows(users: number, now: number): readonly string[] {
  const callers = Array.from({ length: CALLERS }, (_, i) => `'${userId(numberOf(i, users))}'`)
  const administrator = `(select id from "user" where role = 'administrator')`
  return [administrator, ...callers].map(
    (user, i) =>
      `insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at, confirmed_at)
       values ('of a caller ${i}', ${user}, '${tokenHash(sessionToken(i - 1))}', ${now}, ${now},
         ${now + DAY_MILLISECONDS}, ${now}, ${now})`,
  )
}

/** Indexes and triggers are made at the end: sorting once is faster than inserting ten million times in the middle. */
function fillFile(folder: Folder, file: Parameters<Folder['open']>[0], statements: readonly string[]): void {
  using database: DatabaseSync = folder.open(file)
  database.exec('pragma synchronous = off; pragma cache_size = -400000; pragma temp_store = memory')
  const made = database
    .prepare(`select type, name, sql from sqlite_master where type in ('index', 'trigger') and sql is not null`)
    .all()
  database.exec('begin')
  for (const { type, name } of made) database.exec(`drop ${type} "${name}"`)
  for (const statement of statements) database.exec(statement)
  for (const { sql } of made) database.exec(String(sql))
  if (file === 'meta') database.exec(`insert into user_grams (user_grams) values ('rebuild')`)
  database.exec('commit; pragma wal_checkpoint(truncate)')
}

async function fillDatabase(url: string, statements: readonly string[]): Promise<void> {
  await withClient(url, async (client) => {
    const indexes = await indexesWithoutConstraint(client)
    await client.query(
      `set synchronous_commit = off; set maintenance_work_mem = '256MB'; set session_replication_role = replica`,
    )
    for (const { name } of indexes) await client.query(`drop index "${name}"`)
    for (const statement of statements) await client.query(statement)
    for (const { sql } of indexes) await client.query(sql)
  })
  await command(url, 'vacuum analyze')
}

async function indexesWithoutConstraint(client: pg.Client) {
  const { rows } = await client.query<{ name: string; sql: string }>(
    `select indexname as name, indexdef as sql from pg_indexes
     where schemaname = current_schema()
       and indexname not in (select conname from pg_constraint where connamespace = current_schema()::regnamespace)`,
  )
  return rows
}
