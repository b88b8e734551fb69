import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { basic, codeFor, type Registered, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { newVerifier, postForm, startDevice } from '../../service/grants.ts'
import { type Answer, type Person, stranger } from '../../service/people.ts'
import { itWith, redeemFor, refreshFor } from '../../service/shop.ts'

const TOKEN = '/api/oauth/token'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const SCOPES = ['openid', 'offline_access']

type Fields = Record<string, string>

interface Fixtures {
  readonly page: Registered
  readonly phone: Registered
  readonly robot: Registered
  readonly nobody: Person
}

const it = itWith({ skip_consent: true, scopes: SCOPES }).extend<Fixtures>({
  page: async ({ administrator }, use) =>
    use(await register(administrator, { kind: 'browser', skip_consent: true, scopes: SCOPES })),
  phone: async ({ administrator }, use) => use(await register(administrator, { kind: 'native', scopes: SCOPES })),
  robot: async ({ administrator }, use) =>
    use(await register(administrator, { kind: 'service', scopes: ['admin:beta:read'] })),
  nobody: async ({ service }, use) => use(stranger(service)),
})

/** RFC 6749 section 5.2: the status, the two members, and the characters that a description can have. */
function assertRefused({ body, headers, status }: Answer<object>, error: string, what: string): void {
  const { error_description, ...rest } = body as Readonly<Record<string, unknown>>
  assert.deepEqual(rest, { error }, what)
  assert.match(String(error_description), /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, what)
  assert.equal(status, error === 'invalid_client' ? 401 : 400, what)
  assert.match(headers.get('cache-control') ?? '', /no-store/, what)
}

/** A client that used the header gets the scheme to use. */
function assertChallenged({ status, headers }: Answer<unknown>, sent: Record<string, string>, what: string) {
  const isChallenged = status === 401 && sent.authorization !== undefined
  assert.equal(headers.get('www-authenticate'), isChallenged ? 'Basic realm="gatehouse"' : null, what)
}

const raw = (person: Person, path: string, body: string, headers: Record<string, string> = {}) =>
  person.send(path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  })

const withBasic = (client_id: string, client_secret: string) => basic({ id: '', client_id, client_secret })

describe('a request to the token endpoint', () => {
  it('for what it does not do is refused in the shape of the RFC', async ({ shop, robot, nobody }) => {
    const own = basic(robot)
    const grant = 'grant_type=client_credentials'
    const tries: Readonly<Record<string, readonly (readonly [string, string, Fields?])[]>> = {
      invalid_request: [
        ['an exchange of nothing', 'grant_type=urn:ietf:params:oauth:grant-type:token-exchange'],
        ['a NUL in a name', `${grant}&scope%00=a`],
        ['a huge value', `${grant}&scope=${'a'.repeat(4000)}`],
      ],
      unsupported_grant_type: [
        ['a password', 'grant_type=password&username=a&password=b'],
        ['an assertion', 'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer'],
        ['capitals', 'grant_type=CLIENT_CREDENTIALS'],
        ['a space', 'grant_type=client_credentials%20'],
        ['quotes', 'grant_type=%22%5C%0d%0ax'],
      ],
      unauthorized_client: [
        ['a code for a service', 'grant_type=authorization_code&code=a'],
        ['a device for a service', `grant_type=${DEVICE_GRANT}&device_code=a`],
        ['a service of a web application', grant, basic(shop)],
      ],
    }

    for (const [error, requests] of Object.entries(tries))
      for (const [what, body, headers = own] of requests)
        assertRefused(await raw(nobody, TOKEN, body, headers), error, what)
    const inAddress = await nobody.send(`${TOKEN}?${grant}`, { method: 'POST', headers: own })
    assertRefused(inAddress, 'invalid_request', 'parameters in the address')
  })

  it('of a client that is not proven is refused, however it names itself', async ({ shop, page, robot, nobody }) => {
    const { client_id, client_secret = '' } = robot
    const assertion = { client_assertion: 'ey.ey.', client_assertion_type: 'urn:a' }
    const other = shop.client_id
    const inForm: readonly (readonly [string, Fields])[] = [
      ['no client', {}],
      ['no secret', { client_id }],
      ['an empty secret', { client_id, client_secret: '' }],
      ['the secret of another', { client_id: other, client_secret }],
      ['a secret with an end', { client_id, client_secret: `${client_secret} ` }],
      ['a like letter in the id', { client_id: client_id.replace('0', 'о'), client_secret }],
      ['a huge id', { client_id: 'a'.repeat(2000), client_secret }],
      ['a statement as id', { client_id: "' or 1=1 --", client_secret }],
      ['a secret of a public client', { client_id: page.client_id, client_secret: 'a' }],
      ['an assertion', { client_id, ...assertion }],
    ]
    const inHeader: readonly (readonly [string, Fields])[] = [
      ['an empty secret in the header', withBasic(client_id, '')],
      ['NUL behind the secret', withBasic(client_id, `${client_secret}%00`)],
      ['NUL behind the id', withBasic(`${client_id}%00`, client_secret)],
      ['NUL as it is', withBasic(`${client_id}\u0000`, client_secret)],
      ['an id in capitals', withBasic(client_id.toUpperCase(), client_secret)],
      ['half an escape', withBasic(`${client_id}%`, client_secret)],
      ['no colon', { authorization: `Basic ${btoa(client_id)}` }],
      ['not Base64', { authorization: 'Basic ***' }],
      ['another scheme', { authorization: `Bearer ${client_secret}` }],
      ['the command-line client with a secret', withBasic('cli-client', 'a')],
    ]
    const inBoth: readonly (readonly [string, Fields])[] = [
      ['header and form', { client_secret }],
      ['header and all of the form', { client_id, client_secret }],
      ['another id in the form', { client_id: other }],
    ]
    const assertNotProven = async (what: string, form: Fields, headers: Fields, error = 'invalid_client') => {
      const body = String(new URLSearchParams({ grant_type: 'client_credentials', ...form }))
      const answer = await raw(nobody, TOKEN, body, headers)
      assertRefused(answer, error, what)
      assertChallenged(answer, headers, what)
    }

    for (const [what, form] of inForm) await assertNotProven(what, form, {})
    for (const [what, headers] of inHeader) await assertNotProven(what, {}, headers)
    for (const [what, form] of inBoth) await assertNotProven(what, form, basic(robot), 'invalid_request')
  })

  it('with what belongs to another client, or is of another kind, gets nothing', async ({
    ann,
    shop,
    page,
    phone,
    nobody,
  }) => {
    const scope = SCOPES.join(' ')
    const { access_token, refresh_token } = await tokensFor(ann, shop, { scope })
    const given = await codeFor(ann, shop, { scope })
    const startedFor = (wanted: string) =>
      postForm(nobody, '/api/oauth/device_authorization', { client_id: phone.client_id, scope: wanted })
    const { body: started } = await startedFor(scope)
    const { body: ofCli } = await startDevice(nobody, 'operations:notifications:read')
    const redeem = (client: Registered, changes: Fields = {}) => redeemFor(nobody, client, given, changes)
    const refresh = (client: Registered, token: string, changes: Fields = {}) =>
      refreshFor(nobody, client, token, changes)
    const device = (client: Registered, device_code: string) =>
      tokenRequest(nobody, client, { grant_type: DEVICE_GRANT, device_code })
    const tries = [
      ['no verifier', await redeem(shop, { code_verifier: '' }), 'invalid_request'],
      ['no redirect URI', await redeem(shop, { redirect_uri: '' }), 'invalid_request'],
      ['a code of another', await redeem(page), 'invalid_grant'],
      ['another verifier', await redeem(shop, { code_verifier: newVerifier() }), 'invalid_grant'],
      ['another redirect URI', await redeem(shop, { redirect_uri: 'https://shop.example/callback/' }), 'invalid_grant'],
      ['an access token as code', await redeem(shop, { code: access_token }), 'invalid_grant'],
      ['a refresh token of another', await refresh(page, refresh_token), 'invalid_grant'],
      ['an access token to refresh', await refresh(shop, access_token), 'invalid_grant'],
      ['a code to refresh', await refresh(shop, given.code), 'invalid_grant'],
      ['more scopes', await refresh(shop, refresh_token, { scope: `${scope} email` }), 'invalid_scope'],
      ['a device of another', await device(shop, started.device_code), 'invalid_grant'],
      ['a device of the command line', await device(phone, ofCli.device_code), 'invalid_grant'],
      ['a user code', await device(phone, started.user_code), 'invalid_grant'],
      ['more scopes for a device', await startedFor('openid email'), 'invalid_scope'],
    ] as const

    for (const [what, answer, error] of tries) assertRefused(answer, error, what)
    await postForm(nobody, '/api/oauth/revoke', { token: refresh_token, client_id: page.client_id })
    assert.equal((await redeem(shop)).status, 200)
    assert.equal((await refresh(shop, refresh_token)).status, 200)
  })
})
