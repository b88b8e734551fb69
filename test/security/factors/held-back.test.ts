import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import { SCOPES } from '../../../src/rules/scopes.ts'
import { beginLink, consent, enableProvider, land } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import {
  basic,
  bearer,
  CALLBACK,
  codeFor,
  register,
  tokenRequest,
  tokensFor,
} from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { grantFor, postForm } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const declared: readonly Route[] = routes
const src = `${import.meta.dirname}/../../../src`
const GET_SESSION = '/api/auth/get-session'
const REFUSED = '403 SECOND_FACTOR_REQUIRED'

/** With a session: what leads to a second factor, and nothing else. */
const STILL_OPEN = [
  '/api/auth/confirm',
  '/api/auth/passkey/generate-register-options',
  '/api/auth/passkey/list-user-passkeys',
  '/api/auth/passkey/verify-registration',
  '/api/auth/security-overview',
  '/api/auth/two-factor/enable',
]

/** Public routes that serve the caller: these refuse, the others are open to nobody in particular. */
const PUBLIC_AND_REFUSED = ['/api/auth/token', '/api/verify']

/** All code that looks up a caller has to handle callers who lack a factor. */
const LOOKING_FOR_A_CALLER = [
  'app.ts',
  'features/callers/find-caller.ts',
  'features/grants/requests/authorize.ts',
  'features/identity/codes/proof.ts',
  'features/identity/providers/linking.ts',
  'features/identity/routes.ts',
  'features/live/live.ts',
  'features/openid/end-session.ts',
  'features/openid/introspection.ts',
  'features/openid/userinfo.ts',
  'features/security/passkeys.ts',
  'features/security/second-step.ts',
  'features/signed-tokens/reading.ts',
  'features/signed-tokens/signed-token.ts',
  'features/verify/routes.ts',
  'http/mount.ts',
  'http/protect.ts',
]

/** Ann has no second factor, a session and one grant of each kind; `require` is the administrator's next act. */
async function world() {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const service = stack.use(await startService({ env: { COMMUNITY_AUTH_URL: forum.url } }))
  await enableProvider(service, 'community')
  const { administrator, ann } = await people(service)
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  const shop = await register(administrator, { scopes })
  const ofShop = await tokensFor(ann, shop, { scope: scopes.join(' ') })
  const client = await grantFor(ann, 'account:profile:read', 'operations:notifications:read')
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 7 }
  const personal = (await ann.post('/api/create_personal_token', wanted)).body.token
  const tokens = { tool: client.tokens.access_token, application: ofShop.access_token, personal }
  const require = () => changeSettings(service, 'authentication', { second_factor: 'required' })
  const more = { service, ann, shop, ofShop, client, tokens, require }
  return { ...more, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function said(person: Person, { method, path }: Pick<Route, 'method' | 'path'>, headers = {}) {
  const answer = method === 'GET' ? await person.get(path, headers) : await person.post(path, {}, headers)
  return `${answer.status} ${answer.body?.code ?? ''}`.trim()
}

function everyOf(asked: readonly Route[], answer: string) {
  return new Map(asked.map(({ path }) => [path, answer]))
}

describe('checklist 85: a user who lacks a required second factor', () => {
  it('is refused by every route for users but those that lead to one', async () => {
    await using w = await world()
    await w.require()
    const isRefused = ({ access, path }: Route) =>
      access === 'public' ? PUBLIC_AND_REFUSED.includes(path) : !STILL_OPEN.includes(path)

    const answers = new Map<string, string>()
    for (const route of declared.filter(isRefused)) answers.set(route.path, await said(w.ann, route))

    assert.deepEqual(answers, everyOf(declared.filter(isRefused), REFUSED))
  })

  it('can add one, sees who is signed in, and can sign out', async () => {
    await using w = await world()
    await w.require()
    const open = declared.filter(({ path }) => STILL_OPEN.includes(path))

    for (const route of open) assert.notEqual(await said(w.ann, route), REFUSED, route.path)
    const { body } = await w.ann.get(GET_SESSION)
    await addApp(w.service, w.ann)
    const after = await said(w.ann, { method: 'POST', path: '/api/list_grants' })
    const signedOut = await w.ann.post('/api/auth/sign-out')

    assert.deepEqual(
      open.map(({ path }) => path),
      open.filter(({ access }) => access === 'session').map(({ path }) => path),
    )
    assert.equal(open.length, STILL_OPEN.length)
    assert.equal(body.user.id, w.ann.id)
    assert.equal(after, '200')
    assert.equal(signedOut.status, 200)
  })

  it('is checked wherever the caller is looked up', () => {
    const looksForCaller = /\b(findCaller|findCallerById|findByAccessToken|findCallerBehindProduct)\b/
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /(?<!test)\.ts$/.test(file) && looksForCaller.test(readFileSync(`${src}/${file}`, 'utf8')),
    )

    assert.deepEqual(files.toSorted(), LOOKING_FOR_A_CALLER)
  })

  it('ends no link to a provider that began before', async () => {
    await using w = await world()
    const callback = await consent(await beginLink(w.ann, 'community', { errorCallbackURL: '/sorry' }))
    await w.require()

    const landed = await land(w.ann, callback)

    assert.equal(landed, '/sorry?error=second_factor_required')
    const linked = await w.service.platform.meta
      .selectFrom('account')
      .select('provider')
      .where('user_id', '=', w.ann.id)
      .execute()
    assert.deepEqual(linked, [{ provider: 'credential' }])
  })
})

describe('checklist 85: the grants of a user who lacks a required second factor', () => {
  for (const kind of ['tool', 'application', 'personal'] as const) {
    it(`are refused by every route, also with every scope: ${kind}`, async () => {
      await using w = await world()
      await w.service.platform.meta
        .updateTable('access_token')
        .set({ scopes: Object.keys(SCOPES).join(' ') })
        .execute()
      await w.require()
      const headers = bearer(w.tokens[kind])
      const ownSessionOnly = declared.filter(({ access }) => access === 'session')
      const others = declared.filter(
        ({ access, path }) =>
          access === 'protected' || path === GET_SESSION || PUBLIC_AND_REFUSED.includes(path),
      )

      const browser = stranger(w.service)
      const answers = new Map<string, string>()
      for (const route of [...ownSessionOnly, ...others])
        answers.set(route.path, await said(browser, route, headers))

      const expected = [...everyOf(ownSessionOnly, '403 FORBIDDEN'), ...everyOf(others, REFUSED)]
      assert.deepEqual(answers, new Map(expected))
    })
  }

  it('give an application nothing, neither by introspection nor in a signed token', async () => {
    await using w = await world()
    const { body: signed } = await w.ann.get('/api/auth/token')
    await w.require()
    const browser = stranger(w.service)
    const ask = (token: string) => postForm(browser, '/api/oauth/introspect', { token }, basic(w.shop))

    const userinfo = await browser.get('/api/oauth/userinfo', bearer(w.tokens.application))
    const asked = [
      await ask(w.tokens.application),
      await ask(w.tokens.tool),
      await ask(w.tokens.personal),
      await ask(signed.token),
    ]
    const verified = await said(browser, { method: 'GET', path: '/api/verify' }, bearer(signed.token))

    assert.deepEqual([userinfo.status, userinfo.body.error], [403, 'insufficient_scope'])
    for (const { status, body } of asked) assert.deepEqual([status, body], [200, { active: false }])
    assert.equal(verified, REFUSED)
  })

  it('cannot be refreshed before, and work as they did after', async () => {
    await using w = await world()
    await w.require()
    const form = { grant_type: 'refresh_token', refresh_token: w.ofShop.refresh_token }

    const ofTool = await w.client.refresh()
    const ofShop = await tokenRequest(w.ann, w.shop, form)
    await addApp(w.service, w.ann)
    const laterOfTool = await w.client.refresh()
    const laterOfShop = await tokenRequest(w.ann, w.shop, form)

    for (const { status, body } of [ofTool, ofShop]) {
      assert.deepEqual([status, body.error], [400, 'interaction_required'])
      assert.match(body.error_description ?? '', /second factor/)
    }
    assert.deepEqual([laterOfTool.status, laterOfShop.status], [200, 200])
    assert.equal(typeof laterOfShop.body.id_token, 'string')
  })

  it('give an application nothing about the user, even if it was allowed to ask a moment before', async () => {
    await using w = await world()
    const { code, verifier } = await codeFor(w.ann, w.shop)
    await w.require()

    const { body } = await tokenRequest(w.ann, w.shop, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    })

    assert.equal(body.id_token, undefined)
    const userinfo = await stranger(w.service).get('/api/oauth/userinfo', bearer(body.access_token))
    assert.equal(userinfo.status, 403)
  })
})
