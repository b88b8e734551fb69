import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { z } from 'zod'
import { register } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'
import { it } from '../../service/today.ts'

/** Named at run time only: its types would add a browser's types to every file. */
const { Auth, skipCSRFCheck }: AuthJs = await import(String('@auth/core'))

interface AuthJs {
  Auth(request: Request, config: object): Promise<Response>
  readonly skipCSRFCheck: symbol
}

const Session = z.object({ user: z.object({ email: z.string(), name: z.string() }) })
const APP = 'http://localhost:3000'
const CALLBACK = `${APP}/auth/callback/gatehouse`

// A product that signs its users in with Auth.js, configured with an issuer, a client id and a secret.
describe('Auth.js', () => {
  it('signs a user in through its own provider type `oidc`, and has a session of its own then', async ({
    server: { url },
    administrator,
    ann,
  }) => {
    const { client_id, client_secret = '' } = await register(administrator, {
      redirect_uris: [CALLBACK],
      skip_consent: true,
    })
    const product = new Product(url, client_id, client_secret)

    const callback = await product.signIn(ann)
    const session = await product.get('/auth/session')
    const { user } = Session.parse(await session.json())

    assert.equal(callback.status, 302)
    assert.equal(new URL(callback.headers.get('location') ?? '', APP).href, `${APP}/`)
    assert.deepEqual([user.email, user.name], [ann.email, ann.email])
  })

  it('refuses the code of another application, and a wrong secret', async ({
    server: { url },
    administrator,
    ann,
  }) => {
    const fields = { redirect_uris: [CALLBACK], skip_consent: true }
    const own = await register(administrator, fields)
    const impostor = new Product(url, own.client_id, 'not the secret')

    const callback = await impostor.signIn(ann)
    const session = await impostor.get('/auth/session')

    assert.match(callback.headers.get('location') ?? '', /error/)
    assert.equal(await session.json(), null)
  })
})

/** The product's server and a browser's cookies for it. */
class Product {
  readonly #config: object
  readonly #cookies = new Map<string, string>()

  constructor(issuer: string, clientId: string, clientSecret: string) {
    this.#config = {
      providers: [
        { id: 'gatehouse', name: 'Gatehouse', type: 'oidc', issuer, clientId, clientSecret, checks: CHECKS },
      ],
      basePath: '/auth',
      secret: 'a secret of the product that is long enough',
      trustHost: true,
      skipCSRFCheck,
      logger: { error: () => undefined },
    }
  }

  async signIn(person: Person): Promise<Response> {
    const body = new URLSearchParams({ callbackUrl: `${APP}/` })
    const begun = await this.#send(new Request(`${APP}/auth/signin/gatehouse`, { method: 'POST', body }))
    const { pathname, search } = new URL(begun.headers.get('location') ?? '')
    const authorized = await person.get(pathname + search)
    const { pathname: path, search: query } = new URL(authorized.headers.get('location') ?? '')
    return this.get(path + query)
  }

  get(path: string): Promise<Response> {
    return this.#send(new Request(APP + path))
  }

  async #send(request: Request): Promise<Response> {
    request.headers.set('cookie', [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await Auth(request, this.#config)
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      this.#cookies.set(name, value)
    }
    return response
  }
}

const CHECKS = ['pkce', 'state', 'nonce']
