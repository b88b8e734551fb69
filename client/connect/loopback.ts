import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import * as oauth from 'oauth4webapi'
import { Failure } from '../terminal/failure.ts'
import { type Io, say } from '../terminal/io.ts'
import { client, discover, noSecret, optionsFor, scopeParameter, type Tokens, tokensOf } from './oauth.ts'
import { withServer } from './refusals.ts'

const patienceMilliseconds = 600_000

interface Attempt {
  readonly as: oauth.AuthorizationServer
  readonly state: string
  readonly verifier: string
  readonly redirectUri: string
}

/** RFC 8252: the browser on this machine brings the code back to one of our ports. */
export async function authorizeOverLoopback(
  io: Io,
  server: string,
  scopes: readonly string[],
  offerBrowser: (url: string) => void,
): Promise<Tokens> {
  const as = await discover(io, server)
  const listener = createServer()
  try {
    const redirectUri = await listen(listener)
    const attempt = {
      as,
      redirectUri,
      state: oauth.generateRandomState(),
      verifier: oauth.generateRandomCodeVerifier(),
    }
    const page = await authorizationPage(attempt, scopes)
    const arrival = codeArrives(io, listener, attempt)

    say(io, `Open ${page}`)
    offerBrowser(page)
    say(io, 'Waiting for your approval in a browser on this machine. Ctrl-C gives up.')

    return await redeem(io, attempt, await withServer(as.issuer, () => arrival), scopes)
  } finally {
    listener.close()
    listener.closeAllConnections()
  }
}

async function listen(listener: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(0, '127.0.0.1', resolve)
  })
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('the listener has no port')
  return `http://127.0.0.1:${address.port}/callback`
}

async function authorizationPage(attempt: Attempt, scopes: readonly string[]): Promise<string> {
  const page = new URL(attempt.as.authorization_endpoint ?? '')
  const query = {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: attempt.redirectUri,
    scope: scopeParameter(scopes),
    state: attempt.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value)
  return page.href
}

function codeArrives(io: Io, listener: Server, attempt: Attempt): Promise<URLSearchParams> {
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>()
  const timer = setTimeout(
    () => reject(new Failure('refused', 'the request expired; run the command again')),
    patienceMilliseconds,
  )
  const interrupt = () => reject(io.interrupted.reason)
  io.interrupted.addEventListener('abort', interrupt)
  listener.on('request', (request, response) => answerBrowser(attempt, request, response, resolve, reject))
  return promise.finally(() => {
    clearTimeout(timer)
    io.interrupted.removeEventListener('abort', interrupt)
  })
}

function answerBrowser(
  attempt: Attempt,
  request: IncomingMessage,
  response: ServerResponse,
  resolve: (parameters: URLSearchParams) => void,
  reject: (reason: unknown) => void,
): void {
  const url = new URL(request.url ?? '', attempt.redirectUri)
  const isCallback = request.method === 'GET' && url.pathname === '/callback'
  // Any page can call this port; only a call with our state counts.
  if (!isCallback || url.searchParams.get('state') !== attempt.state) {
    answer(response, 404, 'Nothing here.')
    return
  }
  try {
    const parameters = oauth.validateAuthResponse(attempt.as, client, url, attempt.state)
    answer(response, 200, 'Approved. You can close this page and go back to your terminal.', () => resolve(parameters))
  } catch (error) {
    answer(response, 200, 'Not approved. You can close this page; your terminal says more.', () => reject(error))
  }
}

function answer(response: ServerResponse, status: number, words: string, sent?: () => void): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(`${words}\n`, sent)
}

function redeem(io: Io, attempt: Attempt, parameters: URLSearchParams, scopes: readonly string[]): Promise<Tokens> {
  const { as, redirectUri, verifier } = attempt
  return withServer(as.issuer, async () => {
    const options = optionsFor(io, as.issuer)
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      noSecret,
      parameters,
      redirectUri,
      verifier,
      options,
    )
    const answer = await oauth.processAuthorizationCodeResponse(as, client, response)
    return tokensOf(io, as.issuer, answer, scopes)
  })
}
