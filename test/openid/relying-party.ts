import assert from 'node:assert/strict'
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { basic, CALLBACK, queryFor, type Registered, register } from '../service/applications.ts'
import { newVerifier, postForm } from '../service/grants.ts'
import { it as base } from '../service/it.ts'
import type { Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'
import { unescaped } from '../service/unescaped.ts'

type Fields = Readonly<Record<string, string>>
type Mode = 'query' | 'form_post'

export const SIGNED_OUT = 'https://shop.example/bye'
const SCOPES = ['openid', 'profile', 'email', 'offline_access']
const WITHOUT_PKCE = { code_challenge: '', code_challenge_method: '' }

/** A web application as OpenID's suite of tests plays it: a secret, no PKCE, and a browser with a person before it. */
export class RelyingParty {
  readonly registered: Registered
  readonly #service: Service
  readonly #mode: Mode

  constructor(service: Service, registered: Registered, mode: Mode) {
    this.#service = service
    this.registered = registered
    this.#mode = mode
  }

  /** The parameters a browser is sent with. */
  request(changes: Fields = {}): Fields {
    const mode = this.#mode === 'query' ? {} : { response_mode: this.#mode }
    const asked = queryFor(this.registered, newVerifier(), { ...WITHOUT_PKCE, ...mode, ...changes })
    return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''))
  }

  /** The browser goes there, and the person does what the pages ask for; the response as the application gets it. */
  async authorize(person: Person, changes: Fields = {}, method: 'GET' | 'POST' = 'GET'): Promise<Fields> {
    const query = new URLSearchParams(this.request(changes))
    const arrived =
      method === 'GET'
        ? await person.get(`/oauth/authorize?${query}`)
        : await person.send('/oauth/authorize', { method: 'POST', body: query })
    const location = arrived.headers.get('location')
    if (location?.startsWith('/')) return this.#follow(person, location)
    return this.#responseAt(person, location ?? (await this.#walkThroughPages(person, query)))
  }

  async #follow(person: Person, path: string): Promise<Fields> {
    const { headers } = await person.get(path)
    const query = new URLSearchParams(path.slice(path.indexOf('?')))
    return this.#responseAt(person, headers.get('location') ?? (await this.#walkThroughPages(person, query)))
  }

  /** Does what the pages do. */
  async #walkThroughPages(person: Person, query: URLSearchParams): Promise<string> {
    const asked = Object.fromEntries(query)
    const { body: session } = await person.get('/api/auth/get-session')
    if (session === null) {
      await person.post('/api/oauth/describe_client', {
        client_id: asked.client_id,
        redirect_uri: asked.redirect_uri,
      })
      await person.signIn()
      const back = (await person.get(`/oauth/authorize?${query}`)).headers.get('location')
      if (back) return back
    }
    const begun = await person.post('/api/oauth/begin_authorization', asked)
    if (begun.body.redirect_to) return begun.body.redirect_to
    const { request_id } = begun.body
    if (!request_id) throw new Error(`refused: ${JSON.stringify(begun.body)}`)
    const { body: shown } = await person.post('/api/oauth/get_authorization', { request_id })
    if (shown.needs_confirmation) {
      this.#service.clock.advance({ seconds: 1 })
      await person.post('/api/auth/confirm', { password: person.password })
    }
    const decided = await person.post('/api/oauth/decide_authorization', { request_id, approve: true })
    return decided.body.redirect_to
  }

  async #responseAt(person: Person, address: string): Promise<Fields> {
    const url = new URL(address)
    if (this.#mode === 'query') {
      assert.equal(url.origin + url.pathname, CALLBACK)
      return Object.fromEntries(url.searchParams)
    }
    const { body } = await person.get<string>(url.pathname + url.search)
    assert.equal(unescaped(/action="([^"]*)"/.exec(body)?.[1]), CALLBACK)
    const inputs = body.matchAll(/name="([^"]*)" value="([^"]*)"/g)
    return Object.fromEntries([...inputs].map(([, name, value]) => [unescaped(name), unescaped(value)]))
  }

  token(person: Person, form: Fields, by: 'header' | 'form' = 'header') {
    const { client_id, client_secret = '' } = this.registered
    const sent = by === 'form' ? { ...form, client_id, client_secret } : form
    return postForm(person, '/api/oauth/token', sent, by === 'form' ? {} : basic(this.registered))
  }

  redeem(person: Person, { code = '' }: Fields, more: Fields = {}, by: 'header' | 'form' = 'header') {
    const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, ...more }
    return this.token(person, form, by)
  }

  /** The whole way, and what every module of the suite checks on it. */
  async signIn(person: Person, changes: Fields = {}) {
    const response = await this.authorize(person, changes)
    assert.deepEqual([response.state, response.iss], ['a-state', this.#service.config.baseUrl])
    const { status, headers, body } = await this.redeem(person, response)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([headers.get('cache-control'), body.token_type], ['no-store', 'Bearer'])
    const claims = await this.claimsOf(person, body.id_token, 'nonce' in changes ? changes.nonce : 'a-nonce')
    return { response, tokens: body, claims }
  }

  /** OpenID Connect Core section 3.1.3.7. */
  async claimsOf(person: Person, token: string, nonce: string | undefined): Promise<JWTPayload> {
    const { body: keys } = await person.get('/api/oauth/jwks')
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: this.#service.config.baseUrl,
      audience: this.registered.client_id,
      algorithms: ['RS256'],
      currentDate: new Date(this.#service.clock.now()),
      requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time'],
    })
    assert.ok(protectedHeader.kid)
    assert.equal(payload.nonce, nonce || undefined)
    return payload
  }
}

interface Fixtures {
  readonly mode: Mode
  readonly party: RelyingParty
}

export const it = base.extend<Fixtures>({
  mode: 'query',
  party: async ({ service, administrator, mode }, use) => {
    const fields = { require_pkce: false, scopes: SCOPES, post_logout_redirect_uris: [SIGNED_OUT] }
    await use(new RelyingParty(service, await register(administrator, fields), mode))
  },
})
