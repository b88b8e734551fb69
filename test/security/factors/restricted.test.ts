import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Settings } from '../../../src/features/ground/settings/model.ts'
import type { Code } from '../../../src/rules/refusal.ts'
import { SCOPES } from '../../../src/rules/scopes.ts'
import { beginLink, consent, land } from '../../providers/journey.ts'
import { assertRefused, statuses } from '../../service/answers.ts'
import { basic, bearer, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { grantFor, postForm, type TokenAnswer } from '../../service/grants.ts'
import { proveAddress } from '../../service/mailed.ts'
import { type Answer, type Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { openPage } from '../../service/wire/live-page.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { approvedInEachWay, inTurn } from '../support/approved.ts'
import { declared, everyOf, saidByEach, sourcesWith } from '../support/every-route.ts'
import { GET_SESSION, it as inHouse } from '../support/house.ts'

/** Routes that lead to a second factor, for a session that can do nothing else. */
const LEADS_TO_A_FACTOR = [
  '/api/auth/confirm',
  '/api/auth/passkey/generate-register-options',
  '/api/auth/passkey/list-user-passkeys',
  '/api/auth/passkey/verify-registration',
  '/api/auth/security-overview',
  '/api/auth/two-factor/enable',
  '/api/auth/two-factor/get-totp-uri',
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
  'features/access/verify/routes.ts',
  'features/delivery/live/live.ts',
  'features/people/account/device-sessions.ts',
  'features/people/account/providers/linking.ts',
  'features/people/account/routes.ts',
  'features/people/account/sign-out.ts',
  'features/people/account/verify.ts',
  'features/people/callers/find-caller.ts',
  'features/people/impersonations/starting.ts',
  'features/people/impersonations/stopping.ts',
  'features/people/second-factor/passkeys/passkeys.ts',
  'features/people/second-factor/second-step.ts',
  'http/mount.ts',
  'http/protect.ts',
  'http/steps.ts',
]

interface Restriction {
  readonly settings: Partial<Settings['authentication']>
  readonly code: Code
  readonly words: RegExp
  /** Routes for users that lead out of it. */
  readonly open: readonly string[]
  readonly lift: (service: Service, person: Person) => Promise<unknown>
}

const FACTOR: Restriction = {
  settings: { second_factor: 'required' },
  code: 'SECOND_FACTOR_REQUIRED',
  words: /second factor/,
  open: LEADS_TO_A_FACTOR,
  lift: addApp,
}
const ADDRESS: Restriction = {
  settings: { email_verification_required: true },
  code: 'EMAIL_NOT_VERIFIED',
  words: /verify the email address/,
  open: [],
  lift: (service, person) => proveAddress(service, person, person),
}
const UNRESTRICTED = { second_factor: 'optional', email_verification_required: false } as const

const GRANTS = ['tool', 'application', 'personal'] as const

/** Ann has neither a second factor nor a verified address; she has a session and one grant of each kind. */
const settings = { ...WITH_MAIL, authentication: { ...NO_COOLDOWN, email_changes: 'verified' } } as const
const it = inHouse.extend({ settings }).extend('held', async ({ administrator, ann }) => {
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  const shop = await register(administrator, { scopes })
  const ofShop = await tokensFor(ann, shop, { scope: scopes.join(' ') })
  const client = await grantFor(ann, 'account:profile:read', 'operations:notifications:read')
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 7 }
  const personal: string = (await ann.post('/api/create_personal_token', wanted)).body.token
  const tokens = { tool: client.tokens.access_token, application: ofShop.access_token, personal }
  return { shop, ofShop, client, tokens }
})

const restrict = (service: Service, { settings }: Restriction) => changeSettings(service, 'authentication', settings)

for (const [what, restriction] of [
  ['second factor', FACTOR],
  ['verified address', ADDRESS],
] as const) {
  const { code, words, open, lift } = restriction
  const refused = `403 ${code}`

  describe(`checklist 85: a user who lacks a required ${what}`, () => {
    it('is refused by every route for users but those that lead to one', async ({ service, ann }) => {
      await restrict(service, restriction)
      const asked = declared.filter(({ access, path }) =>
        access === 'public' ? PUBLIC_AND_REFUSED.includes(path) : !open.includes(path),
      )

      assert.deepEqual(await saidByEach(ann, asked), everyOf(asked, refused))
    })

    it('sees who is signed in, gets it and goes on, and can sign out', async ({ service, ann, ben }) => {
      await restrict(service, restriction)
      const leading = declared.filter(({ path }) => open.includes(path))

      const answers = await saidByEach(ann, leading)
      const { body } = await ann.get(GET_SESSION)
      await lift(service, ann)
      const after = [await ann.post('/api/list_grants'), await ben.post('/api/auth/sign-out')]

      for (const [path, said] of answers) assert.notEqual(said, refused, path)
      assert.deepEqual([leading.length, body.user.id], [open.length, ann.id])
      for (const { access } of leading) assert.equal(access, 'session')
      assert.deepEqual(statuses(after), [200, 200])
    })
  })

  describe(`checklist 85: the grants of a user who lacks a required ${what}`, () => {
    it.for(GRANTS)('are refused by every route, also with every scope: %s', async (kind, { service, held }) => {
      const scopes = Object.keys(SCOPES).join(' ')
      await service.platform.meta.updateTable('access_token').set({ scopes }).execute()
      await restrict(service, restriction)
      const ownSessionOnly = declared.filter(({ access }) => access === 'session')
      const others = declared.filter(
        ({ access, path }) => access === 'protected' || path === GET_SESSION || PUBLIC_AND_REFUSED.includes(path),
      )

      const asked = [...ownSessionOnly, ...others]
      const answers = await saidByEach(stranger(service), asked, bearer(held.tokens[kind]))

      const expected = [...everyOf(ownSessionOnly, '403 FORBIDDEN'), ...everyOf(others, refused)]
      assert.deepEqual(answers, new Map(expected))
    })

    it('give an application nothing, neither by introspection nor in a signed token', async ({
      service,
      ann,
      held: { shop, tokens },
    }) => {
      const { body: signed } = await ann.get('/api/auth/token')
      await restrict(service, restriction)
      const browser = stranger(service)

      const userinfo = await browser.get('/api/oauth/userinfo', bearer(tokens.application))
      const asked = []
      for (const token of [...Object.values(tokens), signed.token])
        asked.push(await postForm(browser, '/api/oauth/introspect', { token }, basic(shop)))
      const verified = await browser.get('/api/verify', bearer(signed.token))

      assert.deepEqual([userinfo.status, userinfo.body.error], [403, 'insufficient_scope'])
      for (const { status, body } of asked) assert.deepEqual([status, body], [200, { active: false }])
      assertRefused(verified, code)
    })

    it('cannot be refreshed before, and work as they did after', async ({
      service,
      ann,
      held: { shop, ofShop, client },
    }) => {
      await restrict(service, restriction)
      const form = { grant_type: 'refresh_token', refresh_token: ofShop.refresh_token }

      const before = [await client.refresh(), await tokenRequest(ann, shop, form)]
      await lift(service, ann)
      const laterOfTool = await client.refresh()
      const laterOfShop = await tokenRequest(ann, shop, form)

      for (const answer of before) assertHeldBack(answer, words)
      assert.deepEqual(statuses([laterOfTool, laterOfShop]), [200, 200])
      assert.equal(typeof laterOfShop.body.id_token, 'string')
    })

    it('are not given for what was just approved, for as long', async ({ service, ann, held: { shop } }) => {
      const redeemings = await approvedInEachWay(ann, shop)
      await restrict(service, restriction)

      const before = await inTurn(redeemings)
      await changeSettings(service, 'authentication', UNRESTRICTED)
      const after = await inTurn(redeemings)

      for (const answer of before) assertHeldBack(answer, words)
      assert.deepEqual(statuses(after), [200, 200, 200])
    })
  })
}

describe('checklist 85: a required second factor', () => {
  it('is checked wherever the caller is looked up', () => {
    const looksForCaller = /\b(findCaller|findSignedIn|findCallerById|findByAccessToken|findCallerBehindProduct)\b/

    assert.deepEqual(sourcesWith(looksForCaller), LOOKING_FOR_A_CALLER)
  })

  it('ends no link to a provider that began before', async ({ service, ann }) => {
    const callback = await consent(await beginLink(ann, 'community', { errorCallbackURL: '/sorry' }))
    await restrict(service, FACTOR)

    const landed = await land(ann, callback)

    assert.equal(landed, '/sorry?error=second_factor_required')
    const accounts = service.platform.meta.selectFrom('account').where('user_id', '=', ann.id)
    assert.deepEqual(await accounts.select('provider').execute(), [{ provider: 'credential' }])
  })

  it('that the administrator lacks gives no service a token', async ({ service, administrator, ann }) => {
    const robot = await register(administrator, { kind: 'service', scopes: ['admin:users:read'] })
    const ask = () => tokenRequest(ann, robot, { grant_type: 'client_credentials' })
    await changeSettings(service, 'authentication', { second_factor: 'required_for_administrator' })

    const before = await ask()
    await addApp(service, administrator)
    const after = await ask()

    assertHeldBack(before, /administrator has to add a second factor/)
    assert.equal(after.status, 200)
  })
})

describe('a required verified address', () => {
  it('comes before a required second factor', async ({ service, ann }) => {
    await restrict(service, ADDRESS)
    await restrict(service, FACTOR)
    const enable = () => ann.post('/api/auth/two-factor/enable', { password: ann.password })

    const before = await enable()
    await proveAddress(service, ann, ann)
    await addApp(service, ann)

    assertRefused(before, 'EMAIL_NOT_VERIFIED')
    assert.equal((await ann.post('/api/list_notifications')).status, 200)
  })

  it('closes the open pages at the setting', async ({ service, administrator, ann }) => {
    const page = await openPage(service, ann)
    await page.next()

    await administrator.saveSettings('authentication', { email_verification_required: true })
    await service.runJob('events')

    assert.equal((await page.next()).event, 'closed')
    assertRefused(await ann.get('/api/live'), 'EMAIL_NOT_VERIFIED')
  })

  it('is not required of a made-up address, nor of the administrator', async ({ service, administrator, ann }) => {
    const { meta } = service.platform
    const email = 'community-9@community.local'
    await meta.updateTable('user').set({ email }).where('id', '=', ann.id).execute()
    await restrict(service, ADDRESS)

    const asked = [await ann.post('/api/list_notifications'), await administrator.post('/api/admin/list_users')]

    assert.deepEqual(statuses(asked), [200, 200])
  })
})

function assertHeldBack({ status, body }: Answer<Partial<TokenAnswer>>, words: RegExp): void {
  assert.deepEqual([status, body.error, body.access_token], [400, 'interaction_required', undefined])
  assert.match(body.error_description ?? '', words)
}
