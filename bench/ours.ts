import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readConfig } from '../src/config/config.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../src/rules/time.ts'
import { tokenHash } from '../src/rules/tokens.ts'
import { prepare } from '../src/serve.ts'
import { cores } from './load/cores.ts'
import { rawRequest } from './load/load.ts'
import { type Server, startServer } from './server.ts'

type File = 'meta' | 'apac-1' | 'weur-1' | 'oc-1'

export interface Folder extends AsyncDisposable {
  readonly path: string
  open(file: File): DatabaseSync
}

/** A data folder as the first start leaves it. */
export async function preparedFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const { platform } = await prepare(readConfig({ DATA_DIR: path }))
  await platform.close()
  return {
    path,
    open: (file) => new DatabaseSync(join(path, `${file}.sqlite`)),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

type Environment = Readonly<Record<string, string>>

/**
 * The program with its own defaults, except that no limit refuses what one machine sends for everybody. A log at `info`
 * has lines about the start and refused requests, and none about others.
 */
export function startOurs(
  { path }: Pick<Folder, 'path'>,
  env: Environment = {},
  core: string = cores.server,
  [command, ...args]: readonly [string, ...string[]] = ['bin/gatehouse', 'serve'],
): Promise<Server> {
  const own = { DATA_DIR: path, LOG_LEVEL: 'warn', USER_LIMIT_FACTOR: '1000', ...env }
  return startServer({ command, args, env: own, readyPath: '/readyz', core })
}

/** Started by another command than its own, with the cache of compiled code that its own would give it. */
export function startOursAs(command: readonly [string, ...string[]], folder: Folder) {
  return startOurs(folder, { NODE_COMPILE_CACHE: 'node_modules/.cache/compiled' }, cores.server, command)
}

/** `floor`: a session check without anything that it could do without. The others have no product around them. */
export function startBare(name: 'floor' | 'bare-hono' | 'bare-hash', env: Environment = {}): Promise<Server> {
  return startServer({ command: process.execPath, args: [`bench/servers/${name}.ts`], env, readyPath: '/' })
}

export function sessionToken(number: number): string {
  return `ghs_${digest(`session ${number}`)}`
}

export function accessToken(number: number): string {
  return `gha_${digest(`access ${number}`)}`
}

export function refreshToken(number: number): string {
  return `ghr_${digest(`refresh ${number}`)}`
}

export function userId(number: number): string {
  return `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Makes a session for the administrator and returns its token. */
/** The token of a new session of the administrator. */
export function administratorToken(folder: Folder): string {
  using meta = folder.open('meta')
  const { id } = meta.prepare("select id from user where role = 'administrator'").get() ?? {}
  insertRows(folder, 'meta', 'session', [sessionRow('bench', String(id), sessionToken(-1), Date.now(), Date.now())])
  return sessionToken(-1)
}

function sessionRow(id: string, user_id: string, token: string, created_at: number, refreshed_at: number) {
  const times = { created_at, refreshed_at, expires_at: refreshed_at + 30 * DAY_MILLISECONDS, last_used_at: Date.now() }
  return { id, user_id, token_hash: tokenHash(token), ...times }
}

/** A JSON call as a program sends it. */
export function jsonCall(path: string, token: string, body: object): string {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return rawRequest('POST', path, headers, JSON.stringify(body))
}

/** Milliseconds from one user to the next: text of one time that serves everybody would be free. */
const APART = 997

/** People, each with a session on an active shard that is not due for renewal. */
export function insertPeople(folder: Folder, count: number): void {
  const now = Date.now()
  const people = Array.from({ length: count }, (_, i) => {
    const refreshed = now - ((i * APART) % HOUR_MILLISECONDS)
    return { id: userId(i), email: `person-${i}@example.com`, i, created: now - i * APART, refreshed }
  })
  const rows = (row: (one: (typeof people)[number]) => Row) => people.map(row)
  insertRows(
    folder,
    'meta',
    'user',
    rows(({ id, email, i, created, refreshed }) => {
      const own = { id, name: `Person ${i}`, email, aff_code: `BENCH${i}`, created_at: created, updated_at: refreshed }
      return { ...own, email_verified: 1, role: 'user' }
    }),
  )
  const home = { shard_id: 'apac-1' }
  insertRows(
    folder,
    'meta',
    'user_shards',
    rows(({ id, created }) => ({ user_id: id, ...home, created_at: created })),
  )
  insertRows(
    folder,
    'meta',
    'session',
    rows(({ id, i, created, refreshed }) => sessionRow(id, id, sessionToken(i), created, refreshed)),
  )
}

/** A connected client for each of the first people. */
export function insertGrants(folder: Folder, count: number, scopes: string): void {
  const times = { created_at: Date.now(), expires_at: Date.now() + DAY_MILLISECONDS }
  const client = { client_id: 'cli-client', client_name: 'bench', target_origin: 'http://localhost:5173', scopes }
  const rows = (row: (i: number) => Row) => Array.from({ length: count }, (_, i) => ({ scopes, ...times, ...row(i) }))
  const kept = { ...client, last_used_at: times.created_at }
  insertRows(
    folder,
    'meta',
    'api_grant',
    rows((i) => ({ id: userId(i), user_id: userId(i), ...kept })),
  )
  insertRows(
    folder,
    'meta',
    'access_token',
    rows((i) => ({ token_hash: tokenHash(accessToken(i)), grant_id: userId(i) })),
  )
}

type Row = Readonly<Record<string, string | number | null>>

/** Inserts rows that all have the same columns, in one commit. */
export function insertRows(folder: Folder, file: File, table: string, rows: readonly Row[]): void {
  const [first] = rows
  if (!first) return
  using database = folder.open(file)
  const columns = Object.keys(first)
  const values = columns.map((column) => `:${column}`)
  const insert = database.prepare(`insert into ${table} (${columns.join()}) values (${values.join()})`)
  database.exec('begin')
  for (const row of rows) insert.run(row)
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
}
