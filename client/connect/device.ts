import * as oauth from 'oauth4webapi'
import { Unreachable } from '../http.ts'
import { Failure } from '../terminal/failure.ts'
import { type Io, say } from '../terminal/io.ts'
import { cleanLine } from '../terminal/text.ts'
import { client, discover, noSecret, optionsFor, scopeParameter, type Tokens, tokensOf } from './oauth.ts'
import { SlowDown, withServer } from './refusals.ts'

const defaultIntervalSeconds = 5
const slowDownSeconds = 5
const slowestForLostAnswersSeconds = 30
/** Bounds, because a server can ask for less than these, or for more than a timer can count. */
const fastestSeconds = 1
const slowestSeconds = 60
const longestWaitSeconds = 3_600

/** RFC 8628: the user approves in any browser on any machine, so this works over ssh. */
export async function authorizeDevice(
  io: Io,
  server: string,
  scopes: readonly string[],
  offerBrowser: (url: string) => void,
): Promise<Tokens> {
  const as = await discover(io, server)
  const device = await startDevice(io, as, scopes)
  const waitSeconds = Math.min(device.expires_in, longestWaitSeconds)
  const expiresAt = io.now() + waitSeconds * 1000

  const page = ownPage(as, device.verification_uri_complete ?? device.verification_uri)
  const act = device.verification_uri_complete === undefined ? 'enter' : 'compare'
  say(io, `Open ${page}\nand ${act} the code ${cleanLine(device.user_code)}`)
  offerBrowser(page)
  say(io, `Waiting for your approval, ${Math.ceil(waitSeconds / 60)} minutes at most. Ctrl-C gives up.`)

  return poll(io, as, device, scopes, expiresAt)
}

function startDevice(io: Io, as: oauth.AuthorizationServer, scopes: readonly string[]) {
  return withServer(as.issuer, async () => {
    const parameters = { scope: scopeParameter(scopes) }
    const response = await oauth.deviceAuthorizationRequest(as, client, noSecret, parameters, optionsFor(io, as.issuer))
    return oauth.processDeviceAuthorizationResponse(as, client, response)
  })
}

async function poll(
  io: Io,
  as: oauth.AuthorizationServer,
  device: oauth.DeviceAuthorizationResponse,
  scopes: readonly string[],
  expiresAt: number,
): Promise<Tokens> {
  let intervalSeconds = Math.max(fastestSeconds, device.interval ?? defaultIntervalSeconds)
  while (io.now() < expiresAt) {
    await io.sleep(Math.min(intervalSeconds, slowestSeconds) * 1000)
    const answer = await pollOnce(io, as, device.device_code)
    if (answer === 'slow_down') intervalSeconds += slowDownSeconds
    else if (answer === 'lost') intervalSeconds = slower(intervalSeconds)
    else if (answer !== 'pending') return tokensOf(io, as.issuer, answer, scopes)
  }
  throw new Failure('refused', 'the request expired; run the command again for a new code')
}

async function pollOnce(
  io: Io,
  as: oauth.AuthorizationServer,
  deviceCode: string,
): Promise<oauth.TokenEndpointResponse | 'pending' | 'slow_down' | 'lost'> {
  try {
    return await withServer(as.issuer, async () => {
      const response = await oauth.deviceCodeGrantRequest(as, client, noSecret, deviceCode, optionsFor(io, as.issuer))
      return oauth.processDeviceCodeResponse(as, client, response)
    })
  } catch (error) {
    if (error instanceof Unreachable) return 'lost'
    if (error instanceof SlowDown) return 'slow_down'
    return stillWaiting(error)
  }
}

/** RFC 8628 3.5: after a lost connection, poll less often instead of giving up. */
function slower(intervalSeconds: number): number {
  return Math.max(intervalSeconds, Math.min(intervalSeconds + slowDownSeconds, slowestForLostAnswersSeconds))
}

function stillWaiting(error: unknown): 'pending' | 'slow_down' {
  const word = error instanceof Failure && error.cause instanceof oauth.ResponseBodyError ? error.cause.error : ''
  if (word === 'authorization_pending') return 'pending'
  if (word === 'slow_down') return 'slow_down'
  if (word === 'access_denied') throw new Failure('refused', 'the request was denied in the browser')
  if (word === 'expired_token') {
    throw new Failure('refused', 'the request expired; run the command again for a new code')
  }
  throw error
}

function ownPage(as: oauth.AuthorizationServer, address: string): string {
  const url = URL.parse(address)
  if (url && url.origin === new URL(as.issuer).origin) return url.href
  throw new Failure('refused', `${as.issuer} sends people to ${cleanLine(address)}; expected a page of its own`)
}
