import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { SCOPES } from '../../../src/rules/scopes.ts'
import { statuses } from '../../service/answers.ts'
import { basic, bearer, register, tokenRequest, tokensFor } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { grantFor, postForm } from '../../service/grants.ts'
import { proveAddress } from '../../service/mailed.ts'
import { stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { openPage } from '../../service/wire/live-page.ts'
import { approvedInEachWay, inTurn } from '../support/approved.ts'
import { declared, everyOf, saidByEach } from '../support/every-route.ts'
import { GET_SESSION, it as inHouse } from '../support/house.ts'

const REFUSED = '403 EMAIL_NOT_VERIFIED'
/** Public routes that serve the caller. */
const FOR_CALLERS = ['/api/auth/token', '/api/verify']

/** Ann has signed up while no verified address was required, and has one grant of each kind. */
const it = inHouse.extend('held', async ({ administrator, ann }) => {
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  const shop = await register(administrator, { scopes })
  const ofShop = await tokensFor(ann, shop, { scope: scopes.join(' ') })
  const client = await grantFor(ann, 'account:profile:read')
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 7 }
  const personal: string = (await ann.post('/api/create_personal_token', wanted)).body.token
  const tokens = { tool: client.tokens.access_token, application: ofShop.access_token, personal }
  return { shop, ofShop, client, tokens }
})

const requireVerified = (service: Service) =>
  changeSettings(service, 'authentication', { email_verification_required: true })

describe('a user who lacks a required verified address', () => {
  it('is refused by every route for users', async ({ service, ann }) => {
    await requireVerified(service)
    const refused = declared.filter(({ access, path }) => access !== 'public' || FOR_CALLERS.includes(path))

    assert.deepEqual(await saidByEach(ann, refused), everyOf(refused, REFUSED))
  })

  it('sees who is signed in, verifies the address and goes on, or signs out', async ({
    service,
    ann,
    ben,
  }) => {
    await requireVerified(service)

    const { body } = await ann.get(GET_SESSION)
    const proven = await proveAddress(service, ann, ann)
    const after = await ann.post('/api/list_notifications')
    const signedOut = await ben.post('/api/auth/sign-out')

    assert.deepEqual([body.user.id, body.user.emailVerified], [ann.id, false])
    assert.deepEqual(statuses([proven, after, signedOut]), [200, 200, 200])
  })

  it('verifies the address first, and then adds a required second factor', async ({ service, ann }) => {
    await requireVerified(service)
    await changeSettings(service, 'authentication', { second_factor: 'required' })
    const enable = () => ann.post('/api/auth/two-factor/enable', { password: ann.password })

    const before = await enable()
    await proveAddress(service, ann, ann)
    await addApp(service, ann)

    assert.equal(before.body.code, 'EMAIL_NOT_VERIFIED')
    assert.equal((await ann.post('/api/list_notifications')).status, 200)
  })

  it('loses the open pages at the setting', async ({ service, administrator, ann }) => {
    const page = await openPage(service, ann)
    await page.next()

    await administrator.saveSettings('authentication', { email_verification_required: true })
    await service.runJob('events')

    assert.equal((await page.next()).event, 'closed')
    assert.equal((await ann.get('/api/live')).body.code, 'EMAIL_NOT_VERIFIED')
  })

  it('is nobody with a made-up address, nor the administrator', async ({ service, administrator, ann }) => {
    const { meta } = service.platform
    const email = 'community-9@community.local'
    await meta.updateTable('user').set({ email }).where('id', '=', ann.id).execute()
    await requireVerified(service)

    const asked = [
      await ann.post('/api/list_notifications'),
      await administrator.post('/api/admin/list_users'),
    ]

    assert.deepEqual(statuses(asked), [200, 200])
  })
})

describe('the grants of a user who lacks a required verified address', () => {
  for (const kind of ['tool', 'application', 'personal'] as const) {
    it(`are refused by every route, also with every scope: ${kind}`, async ({ service, held }) => {
      const scopes = Object.keys(SCOPES).join(' ')
      await service.platform.meta.updateTable('access_token').set({ scopes }).execute()
      await requireVerified(service)
      const refused = declared.filter(
        ({ access, path }) => access === 'protected' || path === GET_SESSION || FOR_CALLERS.includes(path),
      )

      const answers = await saidByEach(stranger(service), refused, bearer(held.tokens[kind]))

      assert.deepEqual(answers, everyOf(refused, REFUSED))
    })
  }

  it('give an application nothing, and work as before once it is verified', async ({
    service,
    ann,
    held: { shop, ofShop, client, tokens },
  }) => {
    await requireVerified(service)
    const browser = stranger(service)
    const form = { grant_type: 'refresh_token', refresh_token: ofShop.refresh_token }

    const userinfo = await browser.get('/api/oauth/userinfo', bearer(tokens.application))
    const token = tokens.application
    const introspected = await postForm(browser, '/api/oauth/introspect', { token }, basic(shop))
    const before = [await client.refresh(), await tokenRequest(ann, shop, form)]
    await proveAddress(service, ann, ann)
    const after = await tokenRequest(ann, shop, form)

    assert.deepEqual([userinfo.status, userinfo.body.error], [403, 'insufficient_scope'])
    assert.deepEqual(introspected.body, { active: false })
    for (const { status, body } of before)
      assert.deepEqual([status, body.error], [400, 'interaction_required'])
    assert.deepEqual([(await client.refresh()).status, typeof after.body.id_token], [200, 'string'])
  })

  it('are not given for what was just approved, until the address is verified', async ({
    service,
    ann,
    held: { shop },
  }) => {
    const redeemings = await approvedInEachWay(ann, shop)
    await requireVerified(service)

    const before = await inTurn(redeemings)
    await changeSettings(service, 'authentication', { email_verification_required: false })
    const after = await inTurn(redeemings)

    for (const { status, body } of before) {
      assert.deepEqual([status, body.error, body.access_token], [400, 'interaction_required', undefined])
      assert.match(body.error_description ?? '', /verify the email address/)
    }
    assert.deepEqual(statuses(after), [200, 200, 200])
  })
})
