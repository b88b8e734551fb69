import * as oauth from 'oauth4webapi'
import { isToken } from '../credentials/credentials.ts'
import { fetchShort, userAgent } from '../http.ts'
import { isScope } from '../scopes.ts'
import { isLoopback } from '../server.ts'
import { Failure, usage } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { isObject } from '../terminal/json.ts'
import { cleanLine } from '../terminal/text.ts'
import { withServer } from './refusals.ts'

export const client: oauth.Client = { client_id: 'cli-client' }
export const noSecret: oauth.ClientAuth = oauth.None()

const transportScopes = ['api_access', 'offline_access']
const patienceMilliseconds = 30_000
// Three attempts must fit into the 30 s in which the server returns the same successor.
const refreshPatienceMilliseconds = 8_000

/** Many times what a Gatehouse server issues; a longer life may end beyond any date. */
const longestLifeSeconds = 366 * 24 * 60 * 60

export interface Tokens {
  readonly access_token: string
  readonly access_expires_at: number | null
  readonly refresh_token: string | null
  readonly scopes: readonly string[]
}

/** The grant of this refresh token has ended; trying again would not help. */
export class GrantEnded extends Error {
  override readonly name = 'GrantEnded'
}

export async function discover(io: Io, server: string): Promise<oauth.AuthorizationServer> {
  const address = new URL(server)
  const metadata = await withServer(server, async () => {
    const response = await oauth.discoveryRequest(address, {
      ...optionsFor(io, address),
      algorithm: 'oauth2',
    })
    return oauth.processDiscoveryResponse(await issuerOf(address, response.clone()), response)
  })
  refuseForeignEndpoints(metadata.issuer, metadata)
  return metadata
}

/** The requested address; on this machine, 127.0.0.1 and localhost are two names of one server. */
async function issuerOf(address: URL, response: Response): Promise<URL> {
  const metadata: unknown = await response.json().catch(() => undefined)
  const issuer = isObject(metadata) && typeof metadata.issuer === 'string' ? metadata.issuer : ''
  const named = URL.parse(issuer)
  if (!named || named.origin === address.origin) return address
  if (isLoopback(address) && isLoopback(named) && named.port === address.port) return named
  throw usage(`${address.origin} calls itself ${cleanLine(named.origin)}; connect to that address`)
}

export function refreshTokens(
  io: Io,
  as: oauth.AuthorizationServer,
  refreshToken: string,
  scopes: readonly string[],
): Promise<Tokens> {
  return withServer(as.issuer, async () => {
    const options = optionsFor(io, as.issuer, refreshPatienceMilliseconds)
    const response = await oauth.refreshTokenGrantRequest(as, client, noSecret, refreshToken, options)
    const answer = await oauth.processRefreshTokenResponse(as, client, response).catch(noticeEndedGrant)
    return tokensOf(io, as.issuer, answer, scopes)
  })
}

/** This error alone is about the grant; any other can come from a proxy, a limit or a passing fault. */
function noticeEndedGrant(error: unknown): never {
  const isAboutGrant = error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant'
  throw isAboutGrant && error.status !== 429 ? new GrantEnded() : error
}

/** Ends the whole grant, whichever of its tokens is given (RFC 7009). */
export async function revokeGrant(io: Io, server: string, token: string): Promise<void> {
  const as = await discover(io, server)
  await withServer(server, async () => {
    const response = await oauth.revocationRequest(as, client, noSecret, token, optionsFor(io, server))
    await oauth.processRevocationResponse(response)
  })
}

export function optionsFor(io: Io, server: string | URL, milliseconds = patienceMilliseconds) {
  return {
    headers: { 'user-agent': userAgent },
    signal: AbortSignal.any([io.interrupted, AbortSignal.timeout(milliseconds)]),
    [oauth.customFetch]: fetchShort,
    [oauth.allowInsecureRequests]: isLoopback(new URL(server)),
  }
}

export function scopeParameter(scopes: readonly string[]): string {
  return [...transportScopes, ...scopes].join(' ')
}

export function tokensOf(
  io: Io,
  server: string,
  answer: oauth.TokenEndpointResponse,
  requested: readonly string[],
): Tokens {
  const { access_token, expires_in, refresh_token = null, scope } = answer
  if (!isToken(access_token))
    throw new Failure('refused', `${server} issued a token that cannot be sent in an HTTP header`)
  const scopes = scope === undefined ? requested : scope.split(' ')
  const life = expires_in === undefined ? undefined : Math.min(expires_in, longestLifeSeconds) * 1000
  return {
    access_token,
    access_expires_at: life === undefined ? null : Math.round(io.now() + life),
    refresh_token,
    scopes: scopes.filter(isScope),
  }
}

function refuseForeignEndpoints(server: string, as: oauth.AuthorizationServer): void {
  const endpoints = [
    as.authorization_endpoint,
    as.device_authorization_endpoint,
    as.token_endpoint,
    as.revocation_endpoint,
  ]
  for (const endpoint of endpoints) {
    if (endpoint === undefined || URL.parse(endpoint)?.origin !== server) {
      throw new Failure(
        'refused',
        `${server} names ${cleanLine(endpoint ?? 'nothing')} as an endpoint; expected one of its own`,
      )
    }
  }
}
