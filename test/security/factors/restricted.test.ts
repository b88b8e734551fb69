import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Route } from '../../../src/http/route.ts'
import { SCOPES } from '../../../src/rules/scopes.ts'
import { beginLink, consent, land } from '../../providers/journey.ts'
import { statuses } from '../../service/answers.ts'
import { basic, bearer, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { grantFor, postForm } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { approvedInEachWay, inTurn } from '../support/approved.ts'
import { declared, everyOf, saidByEach, sourcesWith } from '../support/every-route.ts'
import { GET_SESSION, it as inHouse } from '../support/house.ts'

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
  'features/access/approvals/approvals.ts',
  'features/access/grants/requests/authorize.ts',
  'features/access/grants/tokens/exchange.ts',
  'features/access/mcp/endpoint.ts',
  'features/access/openid/end-session.ts',
  'features/access/openid/introspection.ts',
  'features/access/openid/userinfo.ts',
  'features/access/signed-tokens/reading.ts',
  'features/access/signed-tokens/signed-token.ts',
  'features/access/verify/routes.ts',
  'features/delivery/live/live.ts',
  'features/people/callers/find-caller.ts',
  'features/people/identity/codes/proof.ts',
  'features/people/identity/providers/linking.ts',
  'features/people/identity/routes.ts',
  'features/people/security/passkeys.ts',
  'features/people/security/second-step.ts',
  'http/mount.ts',
  'http/protect.ts',
]

/** Ann has no second factor, a session and one grant of each kind. */
const it = inHouse.extend('held', async ({ administrator, ann }) => {
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  const shop = await register(administrator, { scopes })
  const ofShop = await tokensFor(ann, shop, { scope: scopes.join(' ') })
  const client = await grantFor(ann, 'account:profile:read', 'operations:notifications:read')
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 7 }
  const personal: string = (await ann.post('/api/create_personal_token', wanted)).body.token
  const tokens = { tool: client.tokens.access_token, application: ofShop.access_token, personal }
  return { shop, ofShop, client, tokens }
})

const requireFactor = (service: Service) =>
  changeSettings(service, 'authentication', { second_factor: 'required' })

const GRANTS = ['tool', 'application', 'personal'] as const

describe('checklist 85: a user who lacks a required second factor', () => {
  it('is refused by every route for users but those that lead to one', async ({ service, ann }) => {
    await requireFactor(service)
    const refused = declared.filter(({ access, path }) =>
      access === 'public' ? PUBLIC_AND_REFUSED.includes(path) : !STILL_OPEN.includes(path),
    )

    assert.deepEqual(await saidByEach(ann, refused), everyOf(refused, REFUSED))
  })

  it('can add one, sees who is signed in, and can sign out', async ({ service, ann }) => {
    await requireFactor(service)
    const open = declared.filter(({ path }) => STILL_OPEN.includes(path))

    const answers = await saidByEach(ann, open)
    const { body } = await ann.get(GET_SESSION)
    await addApp(service, ann)
    const after = await ann.post('/api/list_grants')
    const signedOut = await ann.post('/api/auth/sign-out')

    for (const [path, said] of answers) assert.notEqual(said, REFUSED, path)
    assert.deepEqual(new Set(open.map(({ access }) => access)), new Set(['session']))
    assert.equal(open.length, STILL_OPEN.length)
    assert.equal(body.user.id, ann.id)
    assert.deepEqual(statuses([after, signedOut]), [200, 200])
  })

  it('is checked wherever the caller is looked up', () => {
    const looksForCaller = /\b(findCaller|findCallerById|findByAccessToken|findCallerBehindProduct)\b/

    assert.deepEqual(sourcesWith(looksForCaller), LOOKING_FOR_A_CALLER)
  })

  it('ends no link to a provider that began before', async ({ service, ann }) => {
    const callback = await consent(await beginLink(ann, 'community', { errorCallbackURL: '/sorry' }))
    await requireFactor(service)

    const landed = await land(ann, callback)

    assert.equal(landed, '/sorry?error=second_factor_required')
    const accounts = service.platform.meta.selectFrom('account').where('user_id', '=', ann.id)
    assert.deepEqual(await accounts.select('provider').execute(), [{ provider: 'credential' }])
  })
})

describe('checklist 85: the grants of a user who lacks a required second factor', () => {
  it.for(GRANTS)('are refused by every route, also with every scope: %s', async (kind, { service, held }) => {
    const scopes = Object.keys(SCOPES).join(' ')
    await service.platform.meta.updateTable('access_token').set({ scopes }).execute()
    await requireFactor(service)
    const ownSessionOnly = declared.filter(({ access }) => access === 'session')
    const others = declared.filter(
      ({ access, path }: Route) =>
        access === 'protected' || path === GET_SESSION || PUBLIC_AND_REFUSED.includes(path),
    )

    const asked = [...ownSessionOnly, ...others]
    const answers = await saidByEach(stranger(service), asked, bearer(held.tokens[kind]))

    const expected = [...everyOf(ownSessionOnly, '403 FORBIDDEN'), ...everyOf(others, REFUSED)]
    assert.deepEqual(answers, new Map(expected))
  })

  it('give an application nothing, neither by introspection nor in a signed token', async ({
    service,
    ann,
    held: { shop, tokens },
  }) => {
    const { body: signed } = await ann.get('/api/auth/token')
    await requireFactor(service)
    const browser = stranger(service)

    const userinfo = await browser.get('/api/oauth/userinfo', bearer(tokens.application))
    const asked = []
    for (const token of [...Object.values(tokens), signed.token])
      asked.push(await postForm(browser, '/api/oauth/introspect', { token }, basic(shop)))
    const verify = [{ method: 'GET', path: '/api/verify' }] as const
    const verified = await saidByEach(browser, verify, bearer(signed.token))

    assert.deepEqual([userinfo.status, userinfo.body.error], [403, 'insufficient_scope'])
    for (const { status, body } of asked) assert.deepEqual([status, body], [200, { active: false }])
    assert.deepEqual(verified, everyOf(verify, REFUSED))
  })

  it('cannot be refreshed before, and work as they did after', async ({
    service,
    ann,
    held: { shop, ofShop, client },
  }) => {
    await requireFactor(service)
    const form = { grant_type: 'refresh_token', refresh_token: ofShop.refresh_token }

    const before = [await client.refresh(), await tokenRequest(ann, shop, form)]
    await addApp(service, ann)
    const laterOfTool = await client.refresh()
    const laterOfShop = await tokenRequest(ann, shop, form)

    for (const { status, body } of before) {
      assert.deepEqual([status, body.error], [400, 'interaction_required'])
      assert.match(body.error_description ?? '', /second factor/)
    }
    assert.deepEqual(statuses([laterOfTool, laterOfShop]), [200, 200])
    assert.equal(typeof laterOfShop.body.id_token, 'string')
  })

  it('are not given for what was just approved, until there is a factor', async ({
    service,
    ann,
    held: { shop },
  }) => {
    const redeemings = await approvedInEachWay(ann, shop)
    await requireFactor(service)

    const before = await inTurn(redeemings)
    await addApp(service, ann)
    const after = await inTurn(redeemings)

    for (const { status, body } of before) {
      assert.deepEqual([status, body.error, body.access_token], [400, 'interaction_required', undefined])
      assert.match(body.error_description ?? '', /user has to add a second factor/)
    }
    assert.deepEqual(statuses(after), [200, 200, 200])
  })

  it('are given to no service while the administrator lacks one', async ({ service, administrator, ann }) => {
    const robot = await register(administrator, { kind: 'service', scopes: ['admin:users:read'] })
    const ask = () => tokenRequest(ann, robot, { grant_type: 'client_credentials' })
    await changeSettings(service, 'authentication', { second_factor: 'required_for_administrator' })

    const before = await ask()
    await addApp(service, administrator)
    const after = await ask()

    assert.deepEqual([before.status, before.body.error], [400, 'interaction_required'])
    assert.match(before.body.error_description ?? '', /administrator has to add a second factor/)
    assert.equal(after.status, 200)
  })
})
