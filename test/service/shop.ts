import { basic, CALLBACK, queryFor, type Registered, register, tokenRequest } from './applications.ts'
import { newVerifier, postForm } from './grants.ts'
import { it as base } from './it.ts'
import type { Person } from './people.ts'

type Fields = Readonly<Record<string, string>>

interface Fixtures {
  /** `it.override('registration', …)` sets them for the tests of a describe. */
  readonly registration: Readonly<Record<string, unknown>>
  readonly shop: Registered
}

/** Has a web application that the administrator has registered. */
export const it = base.extend<Fixtures>({
  registration: {},
  shop: async ({ administrator, registration }, use) => use(await register(administrator, registration)),
})

/** The same, with these fields; an `override` outside a describe would be for the files that follow too. */
export const itWith = (registration: Fixtures['registration']) =>
  it.extend<Pick<Fixtures, 'registration'>>({ registration })

/** Acts like the page of the authorization endpoint. */
export const begin = (person: Person, application: Registered, changes: Fields = {}) =>
  person.post('/api/oauth/begin_authorization', queryFor(application, newVerifier(), changes))

export const decide = (person: Person, request_id: string, approve = true) =>
  person.post('/api/oauth/decide_authorization', { request_id, approve })

/** Goes straight to the address of the authorization endpoint, as a browser does. */
export const visit = (person: Person, application: Registered, changes: Fields = {}) =>
  person.get(`/oauth/authorize?${new URLSearchParams(queryFor(application, newVerifier(), changes))}`)

interface Code {
  readonly code: string
  readonly verifier: string
}

export const redeemFor = (person: Person, application: Registered, { code, verifier }: Code, changes: Fields = {}) => {
  const form = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier }
  return tokenRequest(person, application, { ...form, ...changes })
}

export const refreshFor = (person: Person, application: Registered, refresh_token: string, changes: Fields = {}) =>
  tokenRequest(person, application, { grant_type: 'refresh_token', refresh_token, ...changes })

export const introspect = (person: Person, application: Registered, token: string) =>
  postForm(person, '/api/oauth/introspect', { token }, basic(application))
