import { challengeOf, newVerifier, postForm, type TokenAnswer } from './grants.ts'
import type { Answer, Person } from './people.ts'

export const CALLBACK = 'https://shop.example/callback'

export interface Registered {
  readonly id: string
  readonly client_id: string
  readonly client_secret?: string
}

/** A web application, unless the fields say otherwise. */
export async function register(
  administrator: Person,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Registered> {
  const isService = fields.kind === 'service'
  const { status, body } = await administrator.post('/api/admin/create_application', {
    name: 'Shop',
    kind: 'web',
    ...(!isService && { redirect_uris: [CALLBACK] }),
    ...fields,
  })
  if (status !== 200) throw new Error(`not registered: ${JSON.stringify(body)}`)
  return body
}

export function queryFor({ client_id }: Registered, verifier: string, changes: Readonly<Record<string, string>> = {}) {
  return {
    client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    state: 'a-state',
    nonce: 'a-nonce',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...changes,
  }
}

/** Acts like the browser: with a click if one is needed. */
export async function codeFor(person: Person, application: Registered, changes: Readonly<Record<string, string>> = {}) {
  const verifier = newVerifier()
  const begun = await person.post('/api/oauth/begin_authorization', queryFor(application, verifier, changes))
  const decided = begun.body.redirect_to
    ? begun
    : await person.post('/api/oauth/decide_authorization', {
        request_id: begun.body.request_id,
        approve: true,
      })
  if (!decided.body.redirect_to) throw new Error(`no code: ${JSON.stringify(decided.body)}`)
  const redirect = new URL(decided.body.redirect_to)
  return { verifier, redirect, code: redirect.searchParams.get('code') ?? '', wasAsked: begun !== decided }
}

export function basic({ client_id, client_secret = '' }: Registered) {
  return { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }
}

/** Sends the secret in the header, if there is one. */
export function tokenRequest<Body = TokenAnswer & { readonly id_token?: string }>(
  person: Person,
  application: Registered,
  form: Readonly<Record<string, string>>,
): Promise<Answer<Body>> {
  const isPublic = application.client_secret === undefined
  const named = isPublic ? { client_id: application.client_id, ...form } : form
  return postForm<Body>(person, '/api/oauth/token', named, isPublic ? {} : basic(application))
}

/** Exchanges a person's token as the service, for its own address. */
export function exchangedBy(
  person: Person,
  service: Registered,
  subject_token: string,
  form: Readonly<Record<string, string>> = {},
): Promise<Answer<TokenAnswer & { readonly issued_token_type: string }>> {
  return tokenRequest(person, service, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    ...form,
  })
}

export async function tokensFor(
  person: Person,
  application: Registered,
  changes: Readonly<Record<string, string>> = {},
) {
  const { code, verifier } = await codeFor(person, application, changes)
  const { status, body } = await tokenRequest(person, application, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: changes.redirect_uri ?? CALLBACK,
    code_verifier: verifier,
  })
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`)
  return body
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
