import assert from 'node:assert/strict'
import { describe, it } from '../../running/node-test.ts'
import {
  basic,
  bearer,
  CALLBACK,
  codeFor,
  queryFor,
  type Registered,
  register,
  tokenRequest,
  tokensFor,
} from '../../service/applications.ts'
import { newVerifier, postForm, startDevice } from '../../service/grants.ts'
import { type Answer, type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const TOKEN = '/api/oauth/token'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const NUL = '\u0000'

async function world() {
  const service = await startService()
  const { administrator, ann, ben } = await people(service)
  const scopes = ['openid', 'offline_access']
  const shop = await register(administrator, { skip_consent: true, scopes })
  const page = await register(administrator, { kind: 'browser', skip_consent: true, scopes })
  const phone = await register(administrator, { kind: 'native', scopes })
  const robot = await register(administrator, { kind: 'service', scopes: ['admin:beta:read'] })
  const nobody = stranger(service)
  const close = () => service[Symbol.asyncDispose]()
  return { service, administrator, ann, ben, nobody, shop, page, phone, robot, [Symbol.asyncDispose]: close }
}

/** RFC 6749 section 5.2: the status, the two members, and the characters that a description can have. */
function assertRefused(answer: Answer<Record<string, string>>, error: string, what: string): void {
  const { body, headers, status } = answer
  assert.equal(body.error, error, `${what}: ${JSON.stringify(body)}`)
  assert.deepEqual(Object.keys(body).toSorted(), ['error', 'error_description'], what)
  assert.match(body.error_description ?? '', /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, what)
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

function withBasic(id: string, secret: string) {
  return { authorization: `Basic ${btoa(`${id}:${secret}`)}` }
}

describe('a request to the token endpoint', () => {
  it('in an unexpected form is refused in the shape of the RFC', async () => {
    await using w = await world()
    const { shop, robot, nobody } = w
    const own = basic(robot)
    const grant = 'grant_type=client_credentials'
    const tries: readonly (readonly [string, string, Record<string, string>, string])[] = [
      [
        'JSON',
        '{"grant_type":"client_credentials"}',
        { 'content-type': 'application/json' },
        'invalid_request',
      ],
      ['plain text', grant, { 'content-type': 'text/plain' }, 'invalid_request'],
      ['parts', grant, { 'content-type': 'multipart/form-data; boundary=a' }, 'invalid_request'],
      ['nearly a form', grant, { 'content-type': 'application/x-www-form-urlencodedx' }, 'invalid_request'],
      ['grant_type twice', `${grant}&${grant}`, own, 'invalid_request'],
      ['scope twice', `${grant}&scope=a&scope=b`, own, 'invalid_request'],
      ['an unknown parameter twice', `${grant}&a=1&a=2`, own, 'invalid_request'],
      ['an empty one twice', `${grant}&scope=&scope=`, own, 'invalid_request'],
      ['NUL in a value', `${grant}&scope=a%00b`, own, 'invalid_request'],
      ['NUL in a name', `${grant}&scope%00=a`, own, ''],
      ['no grant_type', 'scope=a', own, 'invalid_request'],
      ['an empty form', '', own, 'invalid_request'],
      ['a huge value', `${grant}&scope=${'a'.repeat(4000)}`, own, 'invalid_request'],
      ['a password', 'grant_type=password&username=a&password=b', own, 'unsupported_grant_type'],
      [
        'an assertion',
        'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer',
        own,
        'unsupported_grant_type',
      ],
      [
        'an exchange',
        'grant_type=urn:ietf:params:oauth:grant-type:token-exchange',
        own,
        'unsupported_grant_type',
      ],
      ['capitals', 'grant_type=CLIENT_CREDENTIALS', own, 'unsupported_grant_type'],
      ['a space', 'grant_type=client_credentials%20', own, 'unsupported_grant_type'],
      ['quotes', 'grant_type=%22%5C%0d%0ax', own, 'unsupported_grant_type'],
      ['a code for a service', 'grant_type=authorization_code&code=a', own, 'unauthorized_client'],
      ['a device for a service', `grant_type=${DEVICE_GRANT}&device_code=a`, own, 'unauthorized_client'],
      ['a service of a web application', grant, basic(shop), 'unauthorized_client'],
    ]

    for (const [what, body, headers, error] of tries) {
      const answer = await raw(nobody, TOKEN, body, headers)
      if (error === '') assert.equal(answer.status, 200, what)
      else assertRefused(answer, error, what)
    }
    const inAddress = await nobody.send(`${TOKEN}?${grant}`, { method: 'POST', headers: own })
    assertRefused(inAddress, 'invalid_request', 'parameters in the address')
    const tooLarge = await raw(nobody, TOKEN, `a=${'a'.repeat(20_000)}`, own)
    assert.deepEqual([tooLarge.status, tooLarge.body.error], [413, 'invalid_request'])
  })

  it('of a client that is not proven is refused, however it names itself', async () => {
    await using w = await world()
    const { shop, page, robot, nobody } = w
    const { client_secret: secret = '' } = robot
    const form = (changes: Record<string, string>) =>
      String(new URLSearchParams({ grant_type: 'client_credentials', ...changes }))
    const id = robot.client_id
    const tries: readonly (readonly [string, string, Record<string, string>, string])[] = [
      ['header and form', form({ client_secret: secret }), basic(robot), 'invalid_request'],
      [
        'header and all of the form',
        form({ client_id: id, client_secret: secret }),
        basic(robot),
        'invalid_request',
      ],
      ['another id in the form', form({ client_id: shop.client_id }), basic(robot), 'invalid_request'],
      ['no client', form({}), {}, 'invalid_client'],
      ['no secret', form({ client_id: id }), {}, 'invalid_client'],
      ['an empty secret', form({ client_id: id, client_secret: '' }), {}, 'invalid_client'],
      ['an empty secret in the header', form({}), withBasic(id, ''), 'invalid_client'],
      [
        'the secret of another',
        form({ client_id: shop.client_id, client_secret: secret }),
        {},
        'invalid_client',
      ],
      ['a secret with an end', form({ client_id: id, client_secret: `${secret} ` }), {}, 'invalid_client'],
      ['NUL behind the secret', form({}), withBasic(id, `${secret}%00`), 'invalid_client'],
      ['NUL behind the id', form({}), withBasic(`${id}%00`, secret), 'invalid_client'],
      ['NUL as it is', form({}), withBasic(`${id}${NUL}`, secret), 'invalid_client'],
      ['an id in capitals', form({}), withBasic(id.toUpperCase(), secret), 'invalid_client'],
      [
        'a like letter in the id',
        form({ client_id: id.replace('0', 'о'), client_secret: secret }),
        {},
        'invalid_client',
      ],
      ['a huge id', form({ client_id: 'a'.repeat(2000), client_secret: secret }), {}, 'invalid_client'],
      ['a statement as id', form({ client_id: "' or 1=1 --", client_secret: secret }), {}, 'invalid_client'],
      ['half an escape', form({}), withBasic(`${id}%`, secret), 'invalid_client'],
      ['no colon', form({}), { authorization: `Basic ${btoa(id)}` }, 'invalid_client'],
      ['not Base64', form({}), { authorization: 'Basic ***' }, 'invalid_client'],
      ['another scheme', form({}), { authorization: `Bearer ${secret}` }, 'invalid_client'],
      [
        'a secret of a public client',
        form({ client_id: page.client_id, client_secret: 'a' }),
        {},
        'invalid_client',
      ],
      [
        'an assertion',
        form({ client_id: id, client_assertion: 'ey.ey.', client_assertion_type: 'urn:a' }),
        {},
        'invalid_client',
      ],
      ['the command-line client by header', form({}), withBasic('cli-client', ''), 'invalid_client'],
    ]

    for (const [what, body, headers, error] of tries) {
      const answer = await raw(nobody, TOKEN, body, headers)
      assertRefused(answer, error, what)
      assertChallenged(answer, headers, what)
    }
    for (const path of ['/api/oauth/introspect', '/api/oauth/revoke'])
      for (const header of [withBasic(`${id}%00`, secret), withBasic(id, 'wrong')])
        assertRefused(await raw(nobody, path, 'token=gha_a', header), 'invalid_client', path)
    const asked = await raw(nobody, '/api/oauth/introspect', `token=a&client_id=${page.client_id}`)
    assertRefused(asked, 'invalid_client', 'introspection by a public client')
  })

  it('with what belongs to another client, or is of another kind, gets nothing', async () => {
    await using w = await world()
    const { ann, shop, page, phone, nobody } = w
    const scope = 'openid offline_access'
    const tokens = await tokensFor(ann, shop, { scope })
    const given = await codeFor(ann, shop, { scope })
    const started = await postForm(nobody, '/api/oauth/device_authorization', {
      client_id: phone.client_id,
      scope,
    })
    const { body: ofCli } = await startDevice(nobody, 'operations:notifications:read')
    const code = { grant_type: 'authorization_code', redirect_uri: CALLBACK, code_verifier: given.verifier }
    const refresh = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token })
    const device = (device_code: string) => ({ grant_type: DEVICE_GRANT, device_code })
    const tries: readonly (readonly [string, Registered, Record<string, string>, string])[] = [
      ['a code of another', page, { ...code, code: given.code }, 'invalid_grant'],
      ['no verifier', shop, { ...code, code: given.code, code_verifier: '' }, 'invalid_request'],
      [
        'the challenge as verifier',
        shop,
        { ...code, code: given.code, code_verifier: newVerifier() },
        'invalid_grant',
      ],
      ['no redirect address', shop, { ...code, code: given.code, redirect_uri: '' }, 'invalid_request'],
      [
        'another redirect address',
        shop,
        { ...code, code: given.code, redirect_uri: `${CALLBACK}/` },
        'invalid_grant',
      ],
      ['an access token as code', shop, { ...code, code: tokens.access_token }, 'invalid_grant'],
      ['a refresh token of another', page, refresh(tokens.refresh_token), 'invalid_grant'],
      ['an access token to refresh', shop, refresh(tokens.access_token), 'invalid_grant'],
      ['a code to refresh', shop, refresh(given.code), 'invalid_grant'],
      ['more scopes', shop, { ...refresh(tokens.refresh_token), scope: `${scope} email` }, 'invalid_scope'],
      ['a device of another', shop, device(started.body.device_code), 'invalid_grant'],
      ['a device of the command line', phone, device(ofCli.device_code), 'invalid_grant'],
      ['a user code', phone, device(started.body.user_code), 'invalid_grant'],
    ]

    for (const [what, client, form, error] of tries)
      assertRefused(await tokenRequest(nobody, client, form), error, what)
    await postForm(nobody, '/api/oauth/revoke', { token: tokens.refresh_token, client_id: page.client_id })
    assert.equal((await tokenRequest(nobody, shop, { ...code, code: given.code })).status, 200)
    assert.equal((await tokenRequest(nobody, shop, refresh(tokens.refresh_token))).status, 200)
  })
})

describe('an application that is changed while a user signs in', () => {
  it('redeems with its new secret only, and nothing once it is deleted', async () => {
    await using w = await world()
    const { administrator, ann, shop, nobody } = w
    const given = await codeFor(ann, shop, { scope: 'openid' })
    const late = await codeFor(ann, shop, { scope: 'openid' })
    const form = ({ code, verifier }: typeof given) => ({
      ...{ grant_type: 'authorization_code', redirect_uri: CALLBACK, code, code_verifier: verifier },
    })

    const { body } = await administrator.post('/api/admin/rotate_application_secret', { id: shop.id })
    const renewed = { ...shop, client_secret: body.client_secret }
    const old = await tokenRequest<Record<string, string>>(nobody, shop, form(given))
    const redeemed = await tokenRequest(nobody, renewed, form(given))
    await administrator.post('/api/admin/delete_application', { id: shop.id })
    const deleted = await tokenRequest<Record<string, string>>(nobody, renewed, form(late))

    assertRefused(old, 'invalid_client', 'the old secret')
    assert.equal(redeemed.status, 200)
    assertRefused(deleted, 'invalid_client', 'a deleted application')
    const { status } = await nobody.get('/api/oauth/userinfo', bearer(redeemed.body.access_token))
    assert.equal(status, 401)
  })

  it('is decided once, however many decisions come at once', async () => {
    await using w = await world()
    const { ann, phone } = w
    const query = queryFor(phone, newVerifier(), { scope: 'openid' })
    const { request_id } = (await ann.post('/api/oauth/begin_authorization', query)).body

    const decisions = await Promise.all(
      [true, false, true, false].map((approve) =>
        ann.post('/api/oauth/decide_authorization', { request_id, approve }),
      ),
    )

    const statuses = decisions.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, 404, 404, 404])
  })
})
