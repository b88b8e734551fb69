import { parseArgs } from 'node:util'
import { type Command, placeArguments } from '../command.ts'
import {
  type Connection,
  checkName,
  findConnection,
  forgetBookmark,
  isToken,
  saveConnection,
  type User,
  withConnectionLock,
} from '../credentials/credentials.ts'
import { describe, nameUser } from '../describe.ts'
import { reasonOf } from '../http.ts'
import { isScope } from '../scopes.ts'
import { parseServer } from '../server.ts'
import { EXIT, Failure, usage } from '../terminal/failure.ts'
import { type Io, printJson, readStdin, say } from '../terminal/io.ts'
import { cleanLine, commaList } from '../terminal/text.ts'
import { findOwner } from '../who.ts'
import type { Tokens } from './oauth.ts'

const options = {
  name: { type: 'string' },
  server: { type: 'string' },
  scopes: { type: 'string' },
  loopback: { type: 'boolean' },
  'no-browser': { type: 'boolean' },
  'token-stdin': { type: 'boolean' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export const connect: Command = {
  options,
  async run(args, io) {
    const wanted = parseOptions(args)
    refuseToReplace(wanted, findConnection(io, wanted.name))
    const connection = newConnection(io, wanted, await obtainTokens(io, wanted))

    const kept = await withConnectionLock(io, wanted.name, () => keep(io, wanted, connection))

    say(io, `Connected "${kept.name}" to ${kept.server} as ${nameOf(kept.user)}`)
    say(io, `Scopes: ${kept.scopes.map(cleanLine).join(', ') || 'unknown'}`)
    if (wanted.json) printJson(io, describe(kept))
    return EXIT.done
  },
}

interface ConnectOptions {
  readonly name: string
  readonly server: string
  readonly scopes: readonly string[]
  readonly loopback: boolean
  readonly noBrowser: boolean
  readonly tokenStdin: boolean
  readonly force: boolean
  readonly json: boolean
}

function parseOptions(args: string[]): ConnectOptions {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const { name, server, scopes } = placeArguments(['name', 'server', 'scopes'], values, positionals)
  const { loopback = false, force = false, json = false } = values
  const tokenStdin = values['token-stdin'] ?? false
  if (!name || !server || !(scopes || tokenStdin)) throw usage('connect needs NAME, SERVER and SCOPES')

  return {
    name: checkName(name),
    server: parseServer(server),
    scopes: parseScopes(scopes ?? ''),
    loopback,
    noBrowser: values['no-browser'] ?? false,
    tokenStdin,
    force,
    json,
  }
}

function parseScopes(text: string): string[] {
  const scopes = [...new Set(commaList(text))]
  const odd = scopes.find((scope) => !isScope(scope))
  if (odd !== undefined) throw usage(`"${odd}" is not a valid scope; \`gatehouse scopes\` lists them`)
  return scopes
}

function refuseToReplace({ name, force }: ConnectOptions, current: Connection | undefined): void {
  if (!current || force) return
  throw usage(`"${name}" is connected to ${current.server} already; --force replaces it and revokes the old grant`)
}

async function obtainTokens(io: Io, wanted: ConnectOptions): Promise<Tokens> {
  if (wanted.tokenStdin) return readTokens(io, wanted)
  const offerBrowser = (url: string) => {
    if (!wanted.noBrowser && isAtScreen(io)) io.openBrowser(url)
  }
  if (wanted.loopback) {
    const { authorizeOverLoopback } = await import('./loopback.ts')
    return authorizeOverLoopback(io, wanted.server, wanted.scopes, offerBrowser)
  }
  const { authorizeDevice } = await import('./device.ts')
  return authorizeDevice(io, wanted.server, wanted.scopes, offerBrowser)
}

async function readTokens(io: Io, wanted: ConnectOptions): Promise<Tokens> {
  const token = (await readStdin(io)).toString().trim()
  if (!isToken(token)) throw usage('standard input has no token')
  const owner = await findOwner(io, wanted.server, token)
  if (!owner)
    throw new Failure(
      'authorizationNeeded',
      `${wanted.server} does not accept this token; it may have ended, or belong to another server`,
    )

  return { access_token: token, access_expires_at: null, refresh_token: null, scopes: wanted.scopes }
}

function newConnection(io: Io, { name, server }: ConnectOptions, tokens: Tokens): Connection {
  return { name, server, user: null, ...tokens, connected_at: io.now() }
}

/** Saved first, so that a Ctrl-C does not lose the approval. */
async function keep(io: Io, wanted: ConnectOptions, connection: Connection): Promise<Connection> {
  const replaced = findConnection(io, wanted.name)
  if (replaced && !wanted.force) await revoke(io, connection)
  refuseToReplace(wanted, replaced)

  saveConnection(io, connection)
  forgetBookmark(io, wanted.name)
  if (replaced) await revoke(io, replaced)
  const known = { ...connection, user: await owner(io, connection) }
  saveConnection(io, known)
  return known
}

async function owner(io: Io, { server, access_token }: Connection): Promise<User | null> {
  return findOwner(io, server, access_token).catch((error: unknown) => {
    say(io, `gatehouse: connected, but ${reasonOf(error)}`)
    return null
  })
}

async function revoke(io: Io, { server, refresh_token }: Connection): Promise<void> {
  if (refresh_token === null) return
  const { revokeGrant } = await import('./oauth.ts')
  await revokeGrant(io, server, refresh_token).catch((error: unknown) => {
    say(io, `gatehouse: an unused grant could not be revoked; revoke it yourself at ${server} (${reasonOf(error)})`)
  })
}

function nameOf(user: User | null): string {
  return cleanLine(nameUser(user))
}

/** Over ssh, or in a session without a screen, a browser would open where nobody sees it. */
function isAtScreen({ isTTY, env }: Io): boolean {
  if (!isTTY.stdin || !isTTY.stderr || env.SSH_CONNECTION || env.SSH_TTY) return false
  if (env.BROWSER || process.platform === 'darwin' || process.platform === 'win32') return true
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}
