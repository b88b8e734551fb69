import { Unreachable } from '../http.ts'
import { EXIT, Failure } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import {
  type Connection,
  findConnection,
  getConnection,
  removeConnection,
  saveConnection,
  withConnectionLock,
} from './credentials.ts'

// A token that is about to expire could expire in transit.
const marginMilliseconds = 30_000
const pausesMilliseconds = [500, 2_000]

/** The connection with an access token that is still valid. */
export async function freshConnection(io: Io, name: string): Promise<Connection> {
  const connection = getConnection(io, name)
  return isFresh(io, connection) ? connection : renewConnection(io, connection)
}

/** Renews after the token of `stale` was refused; if another process was faster, uses the token that it got. */
export function renewConnection(io: Io, stale: Connection): Promise<Connection> {
  return withConnectionLock(io, stale.name, async () => {
    const current = findConnection(io, stale.name)
    if (!current) throw authorizationNeeded(stale, 'another gatehouse has just removed it', '')
    if (current.connected_at !== stale.connected_at) throw replaced(stale.name)
    if (current.access_token !== stale.access_token && isFresh(io, current)) return current
    if (current.refresh_token === null) throw reconnectFirst(current, 'its token is no longer accepted')

    return refresh(io, current, current.refresh_token)
  })
}

/** A token of the new connection must not be sent to the old server. */
function replaced(name: string): Failure {
  return new Failure('refused', `"${name}" was reconnected in the meantime; run the command again`)
}

export function reconnectFirst(connection: Connection, reason: string): Failure {
  return authorizationNeeded(connection, reason, ' --force')
}

function authorizationNeeded({ name, server, scopes }: Connection, reason: string, force: string): Failure {
  const command = `gatehouse connect ${name} ${server} ${scopes.join(',') || '<scopes>'}${force}`
  return new Failure('authorizationNeeded', `connection "${name}": ${reason}; run \`${command}\``)
}

async function refresh(io: Io, connection: Connection, refreshToken: string): Promise<Connection> {
  const { GrantEnded } = await import('../connect/oauth.ts')
  try {
    const tokens = await refreshPatiently(io, connection, refreshToken)
    const renewed = { ...connection, ...tokens, refresh_token: tokens.refresh_token ?? refreshToken }
    saveConnection(io, renewed)
    return renewed
  } catch (error) {
    if (!(error instanceof GrantEnded)) throw withConnectionKept(connection, error)
    removeConnection(io, connection.name)
    throw authorizationNeeded(connection, `${connection.server} no longer accepts it, so it was removed`, '')
  }
}

function withConnectionKept({ name }: Connection, error: unknown): unknown {
  if (!(error instanceof Failure) || error.exitCode !== EXIT.refused) return error
  return new Failure('refused', `${error.message}; the connection "${name}" is kept`, { cause: error })
}

/**
 * A response can be lost after the server has rotated the token; repeated at once, the request gets the same
 * successor.
 */
async function refreshPatiently(io: Io, { server, scopes }: Connection, refreshToken: string) {
  const { discover, refreshTokens } = await import('../connect/oauth.ts')
  const as = await discover(io, server)
  for (const pause of pausesMilliseconds) {
    try {
      return await refreshTokens(io, as, refreshToken, scopes)
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      await io.sleep(pause)
    }
  }
  return refreshTokens(io, as, refreshToken, scopes)
}

function isFresh(io: Io, connection: Connection): boolean {
  return connection.access_expires_at === null || connection.access_expires_at - marginMilliseconds > io.now()
}
