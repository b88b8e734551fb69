import { createHash, randomBytes } from 'node:crypto'
import type { Answer, Person } from './people.ts'

export const REDIRECT = 'http://127.0.0.1:49152/callback'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
  readonly error?: string
  readonly error_description?: string
}

/** A command-line client that this person has connected. */
export class ConnectedClient {
  readonly tokens: TokenAnswer
  readonly #person: Person

  constructor(person: Person, tokens: TokenAnswer) {
    this.#person = person
    this.tokens = tokens
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  post<Body = any>(path: string, body: unknown = {}): Promise<Answer<Body>> {
    return this.#person.post(path, body, { authorization: `Bearer ${this.tokens.access_token}` })
  }

  refresh(scope?: string): Promise<Answer<TokenAnswer>> {
    return refreshWith(this.#person, this.tokens.refresh_token, scope)
  }
}

/** Gets a grant through begin, consent and token endpoint, as a real client does. */
export async function grantFor(person: Person, ...scopes: readonly string[]): Promise<ConnectedClient> {
  const { verifier, code } = await approvedCode(person, scopes)
  const { body, status } = await redeem(person, code, verifier)
  if (status !== 200) throw new Error(`no tokens for ${person.email}: ${JSON.stringify(body)}`)
  return new ConnectedClient(person, body)
}

/** The same for a token that is good at this resource alone. */
export async function grantAt(resource: string, person: Person, ...scopes: readonly string[]) {
  const { verifier, code } = await approvedCode(person, scopes, newVerifier(), { resource })
  const { body, status } = await redeem(person, code, verifier)
  if (status !== 200) throw new Error(`no tokens for ${person.email}: ${JSON.stringify(body)}`)
  return new ConnectedClient(person, body)
}

export function newVerifier(): string {
  return randomBytes(32).toString('base64url')
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

export function authorizationQuery(scopes: readonly string[], verifier = newVerifier()) {
  return {
    client_id: 'cli-client',
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: [...scopes, 'api_access', 'offline_access'].join(' '),
    state: 'a-state',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  }
}

export async function approvedCode(
  person: Person,
  scopes: readonly string[],
  verifier = newVerifier(),
  more: Readonly<Record<string, string>> = {},
) {
  const query = { ...authorizationQuery(scopes, verifier), ...more }
  const begun = await person.post('/api/oauth/begin_authorization', query)
  const decision = { request_id: begun.body.request_id, approve: true }
  const decided = await person.post('/api/oauth/decide_authorization', decision)
  if (decided.status !== 200) throw new Error(`no consent of ${person.email}: ${JSON.stringify(decided.body)}`)
  const redirect = new URL(decided.body.redirect_to)
  return { verifier, redirect, code: redirect.searchParams.get('code') ?? '' }
}

export function redeem(
  person: Person,
  code: string,
  verifier: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Answer<TokenAnswer>> {
  return postForm(person, '/api/oauth/token', {
    grant_type: 'authorization_code',
    client_id: 'cli-client',
    code,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    ...changes,
  })
}

export function refreshWith(
  person: Person,
  refreshToken: string,
  scope?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<TokenAnswer>> {
  const form = {
    grant_type: 'refresh_token',
    client_id: 'cli-client',
    refresh_token: refreshToken,
    ...(scope !== undefined && { scope }),
  }
  return postForm(person, '/api/oauth/token', form, headers)
}

interface DeviceAnswer {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}

export function startDevice(person: Person, ...scopes: readonly string[]): Promise<Answer<DeviceAnswer>> {
  return postForm(person, '/api/oauth/device_authorization', {
    client_id: 'cli-client',
    scope: scopes.join(' '),
  })
}

export function poll(person: Person, deviceCode: string): Promise<Answer<TokenAnswer>> {
  return postForm(person, '/api/oauth/token', {
    grant_type: DEVICE_GRANT,
    client_id: 'cli-client',
    device_code: deviceCode,
  })
}

/** Enters the code and clicks. */
export async function decideDevice(person: Person, userCode: string, approve: boolean) {
  const begun = await person.post('/api/oauth/begin_authorization', { user_code: userCode })
  return person.post('/api/oauth/decide_authorization', { request_id: begun.body.request_id, approve })
}

export function revoke(person: Person, token: string): Promise<Answer<TokenAnswer>> {
  return postForm(person, '/api/oauth/revoke', { token, client_id: 'cli-client' })
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
export function postForm<Body = any>(
  person: Person,
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<Body>> {
  return person.send(path, { method: 'POST', headers, body: new URLSearchParams(form) })
}

/** The id of the user to whom this access token belongs; undefined if it is refused. */
export async function userBehind(person: Person, accessToken: string): Promise<string | undefined> {
  const { body } = await person.get('/api/auth/get-session', { authorization: `Bearer ${accessToken}` })
  return body?.user.id
}
