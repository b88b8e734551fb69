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

export interface Folder extends AsyncDisposable {
  readonly path: string
  open(file: 'meta' | 'apac-1' | 'weur-1' | 'oc-1'): DatabaseSync
}

/** A data folder as the first start leaves it. */
export async function preparedFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'))
  const { platform } = await prepare(readConfig({ DATA_DIR: path }))
  await platform.close()
  return {
    path,
    open: (file) => new DatabaseSync(join(path, file === 'meta' ? 'meta.sqlite' : shardFile(file))),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

function shardFile(shard: string): string {
  return (
    readConfig({ DATA_DIR: '' })
      .shards.find(({ id }) => id === shard)
      ?.url.split('/')
      .at(-1) ?? shard
  )
}

/** The program itself with its own defaults, except that no limit refuses what one machine sends for everybody. */
export function startOurs(
  { path }: Folder,
  env: Readonly<Record<string, string>> = {},
  core: string = cores.server,
): Promise<Server> {
  return startOursWith({ DATA_DIR: path, ...env }, core)
}

export function startOursWith(env: Readonly<Record<string, string>>, core: string = cores.server): Promise<Server> {
  return startServer({
    command: 'bin/gatehouse',
    args: ['serve'],
    env: { ...UNLIMITED, ...env },
    readyPath: '/readyz',
    core,
  })
}

/** A log at `info` has lines about the start and refused requests, and none about others. */
const UNLIMITED = { LOG_LEVEL: 'warn', USER_LIMIT_FACTOR: '1000' }

/** Started by another command than its own, with the cache of compiled code that its own would give it. */
export function startOursAs([command, ...args]: readonly [string, ...string[]], { path }: Folder) {
  const env = {
    DATA_DIR: path,
    ...UNLIMITED,
    NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
  }
  return startServer({ command, args, env, readyPath: '/readyz' })
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
export function administratorToken(folder: Folder): string {
  using meta = new Closing(folder.open('meta'))
  const now = Date.now()
  const token = sessionToken(-1)
  meta
    .prepare(
      `insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at)
       select 'bench', id, ?, ?, ?, ?, ? from user where role = 'administrator'`,
    )
    .run(tokenHash(token), now, now, now + 30 * DAY_MILLISECONDS, now)
  return token
}

/** A session check without anything that it could do without. */
export function startFloor({ path }: Folder): Promise<Server> {
  return startServer({
    command: process.execPath,
    args: ['bench/servers/floor.ts'],
    env: { DATA_DIR: path },
    readyPath: '/',
  })
}

/** Peers without a product around them. */
export function startBare(name: 'bare-hono' | 'bare-hash'): Promise<Server> {
  return startServer({ command: process.execPath, args: [`bench/servers/${name}.ts`], readyPath: '/' })
}

/** A JSON call as a program sends it. */
export function jsonCall(
  path: string,
  token: string,
  body: object,
  further: Readonly<Record<string, string>> = {},
): string {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...further }
  return rawRequest('POST', path, headers, JSON.stringify(body))
}

/** Milliseconds between the times of two users: if all had the same time, its text would be made once. */
const APART = 997

/** People, each with a session on an active shard that is not due for renewal. */
export function insertPeople(folder: Folder, count: number): void {
  using meta = new Closing(folder.open('meta'))
  const now = Date.now()
  const user = meta.prepare(
    `insert into user (id, name, email, email_verified, aff_code, role, created_at, updated_at)
     values (?, ?, ?, 1, ?, 'user', ?, ?)`,
  )
  const shard = meta.prepare('insert into user_shards (user_id, shard_id, created_at) values (?, ?, ?)')
  const session = meta.prepare(
    `insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at)
     values (?, ?, ?, ?, ?, ?, ?)`,
  )
  meta.inOneCommit(() => {
    for (let i = 0; i < count; i++) {
      const id = userId(i)
      const [created, refreshed] = [now - i * APART, now - ((i * APART) % HOUR_MILLISECONDS)]
      user.run(id, `Person ${i}`, `person-${i}@example.com`, `BENCH${i}`, created, refreshed)
      shard.run(id, 'apac-1', created)
      session.run(
        ...[id, id, tokenHash(sessionToken(i))],
        ...[created, refreshed, refreshed + 30 * DAY_MILLISECONDS, now],
      )
    }
  })
}

/** A connected client for each of the first people. */
export function insertGrants(folder: Folder, count: number, scopes: string): void {
  using meta = new Closing(folder.open('meta'))
  const now = Date.now()
  const end = now + DAY_MILLISECONDS
  const grant = meta.prepare(
    `insert into api_grant
       (id, user_id, client_id, client_name, target_origin, scopes, created_at, last_used_at, expires_at)
     values (?, ?, 'cli-client', 'bench', 'http://localhost:5173', ?, ?, ?, ?)`,
  )
  const access = meta.prepare(
    'insert into access_token (token_hash, grant_id, scopes, created_at, expires_at) values (?, ?, ?, ?, ?)',
  )
  meta.inOneCommit(() => {
    for (let i = 0; i < count; i++) {
      grant.run(userId(i), userId(i), scopes, now, now, end)
      access.run(tokenHash(accessToken(i)), userId(i), scopes, now, end)
    }
  })
}

/** A database handle that closes itself. */
export class Closing implements Disposable {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  prepare(sql: string) {
    return this.#database.prepare(sql)
  }

  inOneCommit(work: () => void): void {
    this.#database.exec('begin')
    work()
    this.#database.exec('commit')
  }

  [Symbol.dispose](): void {
    this.#database.exec('analyze; pragma wal_checkpoint(truncate)')
    this.#database.close()
  }
}
