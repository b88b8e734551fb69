import { type MutableResponse, type MutableToken, OAuth2Server } from 'oauth2-mock-server'

type Claims = Record<string, unknown>

/** Made once: a key takes longer than most tests. */
let key: Awaited<ReturnType<OAuth2Server['issuer']['keys']['generate']>> | undefined

/** A real OpenID provider on this machine; a test sets its user and how it misbehaves. */
export class OpenIdProvider {
  person: Claims = {
    sub: 'ann-at-provider',
    email: 'Ann@Example.com',
    email_verified: true,
    name: 'Ann',
    picture: '',
  }
  /** Returned by the user endpoint only, and not in the ID token. */
  personAtEndpoint: Claims | undefined
  /** Changes to what is otherwise a good ID token. */
  spoil: Claims = {}
  /** Changes to what its discovery document says. */
  configuration: Claims = {}
  /** Parameters that the browser brings back beside or instead of the good ones. */
  redirect: Readonly<Record<string, string | undefined>> = {}
  /** The times in tokens; a test hands in its clock. */
  now: () => number = Date.now
  discoveries = 0
  readonly #server: OAuth2Server
  readonly #shape: 'plain' | 'microsoft'

  constructor(shape: 'plain' | 'microsoft') {
    this.#shape = shape
    const wellKnownDocument = '/common/v2.0/.well-known/openid-configuration'
    this.#server = new OAuth2Server(
      undefined,
      undefined,
      shape === 'microsoft' ? { endpoints: { wellKnownDocument } } : {},
    )
  }

  get url(): string {
    return this.#server.issuer.url ?? ''
  }

  get preset(): string {
    return `${this.#shape === 'microsoft' ? 'microsoft' : 'oidc'}:${this.url}`
  }

  async start(): Promise<this> {
    const { keys } = this.#server.issuer
    if (key) await keys.add(key)
    else key = await keys.generate('RS256')
    await this.#server.start(0, '127.0.0.1')
    this.#server.issuer.url = `http://127.0.0.1:${this.#server.address().port}`
    this.person.picture = `${this.url}/ann.png`
    this.#server.service.on('beforeTokenSigning', (token: MutableToken) => this.#sign(token))
    this.#server.service.on('beforeUserinfo', (answer: MutableResponse) => {
      answer.body = { sub: this.person.sub, ...this.personAtEndpoint }
    })
    this.#server.service.on('beforeWellKnownOpenIdConfiguration', ({ body }: MutableResponse) => {
      this.discoveries += 1
      Object.assign(body, {
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        ...(this.#shape === 'microsoft' && { issuer: `${this.url}/{tenantid}/v2.0` }),
        ...this.configuration,
      })
    })
    this.#server.service.on('beforeAuthorizeRedirect', ({ url }: { url: URL }) => {
      for (const [name, value] of Object.entries(this.redirect)) {
        if (value === undefined) url.searchParams.delete(name)
        else url.searchParams.set(name, value)
      }
    })
    return this
  }

  /** Signs from here on with a key that it does not publish. */
  async signWithStrangeKey(): Promise<void> {
    const strange = new OAuth2Server()
    const key = await strange.issuer.keys.generate('RS256')
    const published = this.#server.issuer.keys.toJSON()
    Object.assign(this.#server.issuer.keys, { get: () => key, toJSON: () => published })
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.#server.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #sign({ payload }: MutableToken): void {
    const seconds = Math.floor(this.now() / 1000)
    Object.assign(payload, { iat: seconds, nbf: seconds - 10, exp: seconds + 300 }, this.person, this.spoil)
  }
}

export function startOpenIdProvider(shape: 'plain' | 'microsoft' = 'plain'): Promise<OpenIdProvider> {
  return new OpenIdProvider(shape).start()
}
