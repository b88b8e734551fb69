import { type Connection, findConnection, isToken } from '../credentials/credentials.ts'
import { freshConnection, reconnectFirst, renewConnection } from '../credentials/token.ts'
import { parseServer } from '../server.ts'
import { Failure, unknownConnection, usage } from '../terminal/failure.ts'
import { type Io, readStdin } from '../terminal/io.ts'
import type { ApiCall } from './arguments.ts'

/** The credential to send, and the server to send it to. */
export interface Caller {
  readonly server: string
  readonly token: string
  /** Undefined for a token that was given for this request: it is neither renewed nor kept. */
  readonly connection: Connection | undefined
}

export async function openCaller(io: Io, { name, tokenStdin }: ApiCall): Promise<Caller> {
  const given = tokenStdin ? (await readStdin(io)).toString().trim() : io.env.GATEHOUSE_TOKEN
  if (given) return { server: serverFor(io, name), token: checkedToken(given), connection: undefined }
  if (tokenStdin) throw usage('standard input has no token')

  return callerOf(await freshConnection(io, name))
}

/**
 * Runs after the server refused the token: returns the caller with a new one, or fails with the command that gets one.
 */
export async function renewCaller(io: Io, { server, connection }: Caller): Promise<Caller> {
  if (!connection) throw new Failure('authorizationNeeded', `${server} does not accept the given token`)
  return callerOf(await renewConnection(io, connection))
}

export function refuseCaller({ server, connection }: Caller): never {
  if (connection) throw reconnectFirst(connection, `${server} does not accept it`)
  throw new Failure('authorizationNeeded', `${server} does not accept the given token`)
}

function callerOf(connection: Connection): Caller {
  return { server: connection.server, token: connection.access_token, connection }
}

/** A token that was passed in goes to one server only: refused if NAME and the environment disagree. */
function serverFor(io: Io, name: string): string {
  const named = findConnection(io, name)?.server
  const stated = io.env.GATEHOUSE_SERVER ? parseServer(io.env.GATEHOUSE_SERVER) : undefined
  if (named && stated && named !== stated) throw usage(`"${name}" is ${named}, but GATEHOUSE_SERVER is ${stated}`)

  const server = stated ?? named
  if (!server) throw new Failure('unknownConnection', `${unknownConnection(name).message}, or set GATEHOUSE_SERVER`)
  return server
}

function checkedToken(token: string): string {
  if (isToken(token)) return token
  throw usage('the given token has characters that no token can have')
}
