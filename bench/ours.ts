import { createHash, pbkdf2Sync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readConfig } from '../src/config/config.ts'
import { recommendedPasswordIterations } from '../src/prepare.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../src/rules/time.ts'
import { tokenHash } from '../src/rules/tokens.ts'
import { prepare } from '../src/serve.ts'
import { cores, type Program } from './load/cores.ts'
import { jsonRequest, rawRequest } from './load/load.ts'
import { type Environment, type Server, startServer } from './server.ts'

type File = 'meta' | 'apac-1' | 'weur-1' | 'oc-1'

export interface Folder extends AsyncDisposable {
  readonly path: string
  open(file: File): DatabaseSync
}

export async function emptyFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  return {
    path,
    open: (file) => new DatabaseSync(join(path, `${file}.sqlite`), { timeout: 5_000 }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** A data folder as the first start leaves it. */
export async function preparedFolder(env: Environment = {}): Promise<Folder> {
  const folder = await emptyFolder()
  const { platform } = await prepare(readConfig({ DATA_DIR: folder.path, ...env }))
  await platform.close()
  return folder
}

/** One with people, each of whom has a session. */
export async function folderOf(people: number): Promise<Folder> {
  const folder = await preparedFolder()
  insertPeople(folder, people)
  return folder
}

/**
 * The program with its own defaults, except that no limit refuses what one machine sends for everybody. A log at `info`
 * has lines about the start and refused requests, and none about others.
 */
export function startOurs(
  { path }: Pick<Folder, 'path'>,
  env: Environment = {},
  core: string = cores.server,
  program: Program = ['bin/gatehouse', 'serve'],
): Promise<Server> {
  const own = { DATA_DIR: path, LOG_LEVEL: 'warn', USER_LIMIT_FACTOR: '1000', ...env }
  return startServer({ program, env: own, readyPath: '/readyz', core })
}

/** A session check without anything that it could do without, on the same data. */
export function startFloor({ path }: Folder): Promise<Server> {
  const program: Program = [process.execPath, 'bench/servers/floor.ts']
  return startServer({ program, env: { DATA_DIR: path }, readyPath: '/' })
}

/** What every server on this Node and framework costs before it does anything. */
export const NODE_ALONE = `
  import { createServer } from 'node:http'
  createServer((_, response) => response.end('{}')).listen(process.env.PORT, '127.0.0.1')`
export const HONO_ALONE = `
  import { serve } from '@hono/node-server'
  import { Hono } from 'hono'
  const app = new Hono().get('/', (context) => context.json({ session: { id: 'x' }, user: { id: 'x' } }))
  serve({ fetch: app.fetch, port: process.env.PORT, hostname: '127.0.0.1' })`

/** A program of one text, without a product around it. */
export function startAlone(code: string): Promise<Server> {
  return startServer({ program: [process.execPath, '--input-type=module', '--eval', code], readyPath: '/' })
}

/** The session check of each of the first people, as a browser sends it. */
export function sessionChecks(people: number): readonly string[] {
  const cookies = Array.from({ length: people }, (_, i) => `session=${sessionToken(i)}`)
  return cookies.map((cookie) => rawRequest('GET', '/api/auth/get-session', { cookie }))
}

export const sessionToken = (number: number) => `ghs_${digest(`session ${number}`)}`
export const accessToken = (number: number) => `gha_${digest(`access ${number}`)}`
export const refreshToken = (number: number) => `ghr_${digest(`refresh ${number}`)}`
export const userId = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

/** The token of a new session of the administrator. */
export function administratorToken(folder: Folder): string {
  using meta = folder.open('meta')
  const { id } = meta.prepare("select id from user where role = 'administrator'").get() ?? {}
  const session = sessionRow('bench', String(id), sessionToken(-1), Date.now(), Date.now())
  insertRows(folder, 'meta', 'session', 1, () => session)
  return sessionToken(-1)
}

function sessionRow(id: string, user_id: string, token: string, created_at: number, refreshed_at: number) {
  const times = { created_at, refreshed_at, expires_at: refreshed_at + 30 * DAY_MILLISECONDS, last_used_at: Date.now() }
  return { id, user_id, token_hash: tokenHash(token), ...times }
}

/** Milliseconds from one user to the next: text of one time that serves everybody would be free. */
const APART = 997

/** People, each with a session on an active shard that is not due for renewal. */
function insertPeople(folder: Folder, count: number): void {
  const now = Date.now()
  const created = (i: number) => now - i * APART
  const refreshed = (i: number) => now - ((i * APART) % HOUR_MILLISECONDS)
  insertRows(folder, 'meta', 'user', count, (i) => {
    const own = { id: userId(i), name: `Person ${i}`, email: `person-${i}@example.com`, aff_code: `BENCH${i}` }
    return { ...own, created_at: created(i), updated_at: refreshed(i), email_verified: 1, role: 'user' }
  })
  const home = { shard_id: 'apac-1' }
  insertRows(folder, 'meta', 'user_shards', count, (i) => ({ user_id: userId(i), ...home, created_at: created(i) }))
  insertRows(folder, 'meta', 'session', count, (i) =>
    sessionRow(userId(i), userId(i), sessionToken(i), created(i), refreshed(i)),
  )
}

export const PASSWORD = 'a long walk in the rain'

/** One hash for all users: checking costs the same for each. */
export function insertPasswords(folder: Folder, count: number, iterations = recommendedPasswordIterations): void {
  const salt = Buffer.from('00112233445566ff', 'hex')
  const key = pbkdf2Sync(PASSWORD, salt, iterations, 20, 'sha1')
  const password_hash = `${salt.toString('hex')}:${key.toString('hex')}`
  const account = { provider: 'credential', password_hash, created_at: 0, updated_at: 0 }
  insertRows(folder, 'meta', 'account', count, (i) => {
    return { id: userId(i), user_id: userId(i), provider_account_id: userId(i), ...account }
  })
}

/** `address` counts if the server trusts this machine as a proxy. */
export function signInRequest(person: number, address = '', password = PASSWORD): string {
  const sender: Record<string, string> = address === '' ? {} : { 'x-forwarded-for': address }
  return jsonRequest('/api/auth/sign-in/email', { email: `person-${person}@example.com`, password }, sender)
}

/** Organisations of ten of the first people each, in which their sessions are. */
export function insertOrganizations(folder: Folder, count: number): void {
  const now = Date.now()
  const times = { created_at: now, updated_at: now }
  insertRows(folder, 'meta', 'organization', count, (i) => ({
    ...{ id: organizationId(i), slug: `organisation-${i}`, name: `Organisation ${i}`, folded_name: '' },
    ...{ status: 'active', members: MEMBERS, owners: MEMBERS, ...times },
  }))
  const organizationOf = (person: number) => organizationId(Math.floor(person / MEMBERS))
  insertRows(folder, 'meta', 'member', count * MEMBERS, (person) => ({
    ...{ id: `member ${person}`, organization_id: organizationOf(person), user_id: userId(person) },
    ...{ roles: 'owner', created_at: now, last_active_at: now },
  }))
  using meta = folder.open('meta')
  meta.exec(`update session set active_organization_id =
    (select organization_id from member where member.user_id = session.user_id)`)
}

const MEMBERS = 10

export function organizationId(number: number): string {
  return `00000000-0000-7000-8001-${String(number).padStart(12, '0')}`
}

/** A connected client for each of the first people. */
export function insertGrants(folder: Folder, count: number, scopes: string): void {
  const times = { created_at: Date.now(), expires_at: Date.now() + DAY_MILLISECONDS }
  const client = { client_id: 'cli-client', client_name: 'bench', target_origin: 'http://localhost:5173' }
  const kept = { ...client, scopes, ...times, last_used_at: times.created_at }
  insertRows(folder, 'meta', 'api_grant', count, (i) => ({ id: userId(i), user_id: userId(i), ...kept }))
  insertRows(folder, 'meta', 'access_token', count, (i) => {
    return { token_hash: tokenHash(accessToken(i)), grant_id: userId(i), scopes, ...times }
  })
}

type Row = Readonly<Record<string, string | number | null>>

/** Inserts rows that all have the same columns, in one commit. */
export function insertRows(folder: Folder, file: File, table: string, count: number, row: (i: number) => Row): void {
  using database = folder.open(file)
  const columns = Object.keys(row(0))
  const values = columns.map((column) => `:${column}`)
  const insert = database.prepare(`insert into ${table} (${columns.join()}) values (${values.join()})`)
  database.exec('begin')
  for (let i = 0; i < count; i++) insert.run(row(i))
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
}
