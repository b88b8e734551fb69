import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isScope } from '../scopes.ts'
import { isServer } from '../server.ts'
import { Failure, unknownConnection, usage } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { isObject, parseJson } from '../terminal/json.ts'
import { readPrivateFile, removeFile, replaceFile } from './file.ts'
import { privateFolder } from './folder.ts'
import { withLock } from './lock.ts'

export interface User {
  readonly id: string
  readonly email: string
  readonly name: string
}

export interface Connection {
  readonly name: string
  readonly server: string
  readonly user: User | null
  readonly scopes: readonly string[]
  readonly access_token: string
  /** Null if the server did not say, as for a token given with --token-stdin. */
  readonly access_expires_at: number | null
  /** Null for a token given with --token-stdin: it is not ours to renew or to revoke. */
  readonly refresh_token: string | null
  readonly connected_at: number
}

/** True if an Authorization header can carry it. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(text)
}

export function checkName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)) return name
  throw usage(`"${name}" cannot name a connection; use letters, digits, ".", "_" and "-", at most 64`)
}

export function listNames(io: Io): string[] {
  const isConnection = /^(.+)\.json$/
  return readdirSync(privateFolder(io, 'connections'))
    .flatMap((file) => isConnection.exec(file)?.[1] ?? [])
    .sort()
}

export function getConnection(io: Io, name: string): Connection {
  const connection = findConnection(io, name)
  if (!connection) throw unknownConnection(name)
  return connection
}

export function findConnection(io: Io, name: string): Connection | undefined {
  const file = fileOf(io, checkName(name))
  const text = readPrivateFile(io, file)
  if (text === undefined) return undefined

  const connection = parseConnection(name, parseJson(text))
  if (connection) return connection
  throw new Failure('refused', `${file} cannot be read; \`gatehouse disconnect ${name} --local-only\` removes it`)
}

/** The bookmark belongs to the old user. */
export function forgetBookmark(io: Io, name: string): void {
  removeFile(join(privateFolder(io, 'bookmarks'), name))
}

/** Every change to a connection runs inside this, so that processes take turns. */
export function withConnectionLock<T>(io: Io, name: string, work: () => Promise<T>): Promise<T> {
  return withLock(io, join(privateFolder(io, 'locks'), checkName(name)), work)
}

/** Call it inside `withConnectionLock`. */
export function saveConnection(io: Io, connection: Connection): void {
  replaceFile(fileOf(io, connection.name), `${JSON.stringify(connection, null, 2)}\n`)
}

/** Call it inside `withConnectionLock`. */
export function removeConnection(io: Io, name: string): void {
  removeFile(fileOf(io, name))
  forgetBookmark(io, name)
}

function fileOf(io: Io, name: string): string {
  return join(privateFolder(io, 'connections'), `${name}.json`)
}

function parseConnection(name: string, value: unknown): Connection | undefined {
  if (!isObject(value)) return undefined
  const { server, scopes, access_token, access_expires_at, refresh_token, connected_at } = value
  if (typeof server !== 'string' || !isServer(server)) return undefined
  if (typeof access_token !== 'string' || !isToken(access_token)) return undefined
  if (typeof connected_at !== 'number' || !Array.isArray(scopes)) return undefined

  return {
    name,
    server,
    user: parseUser(value.user),
    scopes: scopes.filter((scope) => typeof scope === 'string').filter(isScope),
    access_token,
    access_expires_at: isTime(access_expires_at) ? access_expires_at : null,
    refresh_token: typeof refresh_token === 'string' ? refresh_token : null,
    connected_at,
  }
}

/** True if a Date can show it. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime())
}

export function parseUser(value: unknown): User | null {
  if (!isObject(value)) return null
  const { id, email, name } = value
  if (typeof id !== 'string' || typeof email !== 'string' || typeof name !== 'string') return null
  return { id, email, name }
}
