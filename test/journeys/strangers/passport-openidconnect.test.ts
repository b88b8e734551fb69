import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { CALLBACK, type Registered, register } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'
import { it } from '../../service/today.ts'

/** Named at run time only: it has no types. */
const { default: Strategy }: { default: PassportStrategy } = await import(String('passport-openidconnect'))

interface Profile {
  readonly id: string
  readonly emails?: readonly { readonly value: string }[]
}

type Verify = (issuer: string, profile: Profile, done: (error: unknown, user: Profile) => void) => void

interface PassportStrategy {
  new (options: object, verify: Verify): { authenticate(request: object, options: object): void }
}

// Of many products in Node, and without PKCE, as `python-social-auth` and `omniauth-openid-connect` are.
describe('Passport', () => {
  it('signs a user in through passport-openidconnect, if the application may do without PKCE', async ({
    server: { url },
    administrator,
    ann,
  }) => {
    const fields = { skip_consent: true, require_pkce: false }
    const product = new Product(url, await register(administrator, fields))
    const strict = new Product(url, await register(administrator, { skip_consent: true }))

    const { user } = await product.signIn(ann)
    const refused = await strict.signIn(ann)

    assert.deepEqual([user?.id, user?.emails?.[0]?.value], [ann.id, ann.email])
    assert.equal(refused.user, undefined)
    assert.match(String(refused.failure), /code_challenge is missing/)
  })
})

interface Outcome {
  readonly user?: Profile
  readonly redirect?: string
  readonly failure?: unknown
}

/** The product's server with one browser's session. */
class Product {
  readonly #session = {}
  readonly #strategy: InstanceType<PassportStrategy>

  constructor(url: string, { client_id: clientID, client_secret: clientSecret }: Registered) {
    const options = {
      issuer: url,
      authorizationURL: `${url}/oauth/authorize`,
      tokenURL: `${url}/api/oauth/token`,
      userInfoURL: `${url}/api/oauth/userinfo`,
      ...{ clientID, clientSecret, callbackURL: CALLBACK, scope: ['profile', 'email'] },
    }
    this.#strategy = new Strategy(options, (_, profile, done) => done(null, profile))
  }

  async signIn(person: Person): Promise<Outcome> {
    const { redirect = '' } = await this.#visited({})
    const { pathname, search } = new URL(redirect)
    const { headers } = await person.get(pathname + search)
    const { searchParams } = new URL(headers.get('location') ?? '')
    return this.#visited(Object.fromEntries(searchParams))
  }

  /** As Passport calls it. */
  #visited(query: object): Promise<Outcome> {
    return new Promise((resolve) => {
      const strategy = Object.assign(Object.create(this.#strategy), {
        success: (user: Profile) => resolve({ user }),
        redirect: (redirect: string) => resolve({ redirect }),
        fail: (failure: unknown) => resolve({ failure: JSON.stringify(failure) }),
        error: (failure: unknown) => resolve({ failure }),
      })
      strategy.authenticate({ query, body: {}, session: this.#session, headers: {} }, {})
    })
  }
}
