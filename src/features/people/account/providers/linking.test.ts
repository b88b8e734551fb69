import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { accountsOf, it } from '../../../../../test/providers/it.ts'
import { begin, beginLink, consent, land, linkVia, signInVia, whoIs } from '../../../../../test/providers/journey.ts'
import { assertRefused } from '../../../../../test/service/answers.ts'
import { changeSettings } from '../../../../../test/service/change-settings.ts'
import { newcomer, type Person, stranger } from '../../../../../test/service/people.ts'

const unlink = (person: Person, providerId: string, more: object = {}) =>
  person.post('/api/auth/unlink-account', { providerId, ...more })

describe('link-social', () => {
  it('adds a sign-in method, whatever the address; a second time changes nothing', async ({ service, carl }) => {
    for (let time = 0; time < 2; time++)
      assert.equal(await linkVia(carl, 'provider_a', { callbackURL: '/settings' }), '/settings')
    assert.equal(await linkVia(carl, 'community'), '/')

    assert.deepEqual(await accountsOf(carl), ['credential', 'provider_a', 'community'])
    assert.equal((await carl.get('/api/auth/list-accounts')).body[2].accountId, '42')
    const elsewhere = stranger(service)
    await signInVia(elsewhere, 'provider_a')
    const { id, email } = await whoIs(elsewhere)
    assert.deepEqual([id, email], [carl.id, carl.email])
  })

  it("refuses another user's account on the page that started the link", async ({ service, carl }) => {
    await linkVia(carl, 'provider_a')
    const ben = await newcomer(service, 'ben@example.com')

    const landed = await linkVia(ben, 'provider_a', { callbackURL: '/settings' })

    assert.equal(landed, '/settings?error=account_linked_elsewhere')
    assert.deepEqual(await accountsOf(ben), ['credential'])
  })

  it('refuses a second account of one provider', async ({ openId, carl }) => {
    await linkVia(carl, 'provider_a')
    openId.person = { ...openId.person, sub: 'ann-again' }

    assert.equal(await linkVia(carl, 'provider_a'), '/?error=provider_already_linked')
  })

  it('needs a session both at the start and at the end', async ({ visitor, carl }) => {
    assertRefused(await visitor.post('/api/auth/link-social', { provider: 'provider_a' }), 'UNAUTHORIZED')
    assertRefused(await visitor.get('/api/auth/list-accounts'), 'UNAUTHORIZED')
    const callback = await consent(await beginLink(carl, 'provider_a', { errorCallbackURL: '/sorry' }))
    await carl.post('/api/auth/sign-out')

    assert.equal(await land(carl, callback), '/sorry?error=unauthorized')
    assert.equal(await whoIs(carl), undefined)
  })

  it('44. links nothing if another user has signed in in the meantime', async ({ service, carl }) => {
    const callback = await consent(await beginLink(carl, 'provider_a'))
    const session = carl.cookies.get('session') ?? ''
    const ben = await newcomer(service, 'ben@example.com')
    carl.cookies.set('session', ben.cookies.get('session') ?? '')

    assert.equal(await land(carl, callback), '/?error=unauthorized')
    assert.deepEqual(await accountsOf(ben), ['credential'])
    carl.cookies.set('session', session)
    assert.deepEqual(await accountsOf(carl), ['credential'])
  })
})

describe('unlink-account', () => {
  it('removes a sign-in method, but not the last one', async ({ service, carl }) => {
    await linkVia(carl, 'provider_a')

    const first = await unlink(carl, 'credential')
    const last = await unlink(carl, 'provider_a')

    assert.deepEqual([first.status, first.body], [200, { status: true }])
    assertRefused(last, 'FAILED_TO_UNLINK_LAST_ACCOUNT')
    assert.deepEqual(await accountsOf(carl), ['provider_a'])
    assert.equal((await stranger(service).signIn()).status, 401)
  })

  it('accepts the id from list-accounts, which version 1.7 of the published client sends', async ({
    service,
    carl,
  }) => {
    await linkVia(carl, 'provider_a')
    await linkVia(carl, 'community')
    const { body: accounts } = await carl.get('/api/auth/list-accounts')
    const ben = await newcomer(service, 'ben@example.com')
    const byId = (person: Person, accountId: string) => person.post('/api/auth/unlink-account', { accountId })

    const ofAnother = await byId(ben, accounts[1].id)
    const first = await byId(carl, accounts[0].id)
    const second = await byId(carl, accounts[1].id)
    const again = await byId(carl, accounts[1].id)
    const last = await byId(carl, accounts[2].id)

    assert.deepEqual(
      [ofAnother, first, second, again, last].map(({ status }) => status),
      [404, 200, 200, 404, 400],
    )
    assertRefused(last, 'FAILED_TO_UNLINK_LAST_ACCOUNT')
    assert.deepEqual(await accountsOf(carl), ['community'])
    assertRefused(await carl.post('/api/auth/unlink-account'), 'INVALID_REQUEST')
  })

  it('does not count a disabled provider as a remaining method', async ({ service, carl }) => {
    await linkVia(carl, 'provider_a')
    const provider_a = { enabled: false, client_id: '', client_secret: '' }
    await changeSettings(service, 'authentication', { provider_a })

    assertRefused(await unlink(carl, 'credential'), 'FAILED_TO_UNLINK_LAST_ACCOUNT')
  })

  it('keeps one of two methods that are unlinked at the same time', async ({ carl }) => {
    await linkVia(carl, 'provider_a')

    const answers = await Promise.all(['credential', 'provider_a'].map((id) => unlink(carl, id)))

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    assert.equal((await accountsOf(carl)).length, 1)
  })

  it("is 404 for an account that is not linked, also with another user's id", async ({ carl }) => {
    await linkVia(carl, 'provider_a')

    assert.equal((await unlink(carl, 'community')).status, 404)
    assert.equal((await unlink(carl, 'provider_a', { accountId: 'x' })).status, 404)
    assert.equal((await unlink(carl, 'nonsense')).status, 400)
  })
})

describe('the audit log', () => {
  it('shows sign-ins, refusals, links and unlinks, by provider', async ({ openId, service, carl }) => {
    await linkVia(carl, 'community')
    await unlink(carl, 'community')
    await signInVia(stranger(service), 'provider_a')
    openId.spoil = { nonce: 'another' }
    const refused = stranger(service)
    const callback = await consent(await begin(refused, 'provider_a'))
    await refused.get(callback, { 'user-agent': 'Lynx' })

    const entries = await service.platform.meta
      .selectFrom('event')
      .select(['action', 'details'])
      .where('details', 'like', '%provider%')
      .orderBy('id')
      .execute()
    assert.deepEqual(
      entries.map(({ action, details }) => [action, JSON.parse(details)]),
      [
        ['account.link', { provider: 'community' }],
        ['account.unlink', { provider: 'community' }],
        ['user.sign_in', { provider: 'provider_a' }],
        ['user.sign_in_refused', { provider: 'provider_a', code: 'PROVIDER_ERROR', user_agent: 'Lynx' }],
      ],
    )
  })
})
