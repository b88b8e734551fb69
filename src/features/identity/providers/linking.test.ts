import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import {
  beginLink,
  consent,
  enableProvider,
  land,
  linkVia,
  signInVia,
  whoIs,
} from '../../../../test/providers/journey.ts'
import { startOpenIdProvider } from '../../../../test/providers/openid-provider.ts'
import { startPlainProvider } from '../../../../test/providers/plain-provider.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { stranger } from '../../../../test/service/people.ts'
import { startService } from '../../../../test/service/service.ts'

/** Ann has a password; her account at the provider has another address. */
async function world() {
  const openId = await startOpenIdProvider()
  openId.person = { ...openId.person, email: 'ann@work.example' }
  const forum = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ann' } })
  const service = await startService({ env: { PROVIDER_A: openId.preset, COMMUNITY_AUTH_URL: forum.url } })
  openId.now = service.clock.now
  await enableProvider(service, 'provider_a')
  await enableProvider(service, 'community')
  const ann = stranger(service, 'ann@example.com')
  await ann.signUp()
  return {
    ann,
    openId,
    forum,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await forum[Symbol.asyncDispose]()
      await openId.stop()
    },
  }
}

const providersOf = (body: readonly { providerId: string }[]) => body.map(({ providerId }) => providerId)

describe('link-social', () => {
  it('adds a sign-in method to the signed-in user, whatever the address; a second time changes nothing', async () => {
    await using w = await world()

    assert.equal(await linkVia(w.ann, 'provider_a', { callbackURL: '/settings' }), '/settings')
    assert.equal(await linkVia(w.ann, 'provider_a', { callbackURL: '/settings' }), '/settings')
    assert.equal(await linkVia(w.ann, 'community'), '/')

    const { body } = await w.ann.get('/api/auth/list-accounts')
    assert.deepEqual(providersOf(body), ['credential', 'provider_a', 'community'])
    assert.equal(body[2].accountId, '42')
    const elsewhere = stranger(w.service)
    await signInVia(elsewhere, 'provider_a')
    assert.equal((await whoIs(elsewhere)).id, w.ann.id)
    assert.equal((await whoIs(elsewhere)).email, 'ann@example.com')
  })

  it("another user's account is refused on the page that asked", async () => {
    await using w = await world()
    await linkVia(w.ann, 'provider_a')
    const ben = stranger(w.service, 'ben@example.com')
    await ben.signUp()

    const landed = await linkVia(ben, 'provider_a', { callbackURL: '/settings' })

    assert.equal(landed, '/settings?error=account_linked_elsewhere')
    assert.deepEqual(providersOf((await ben.get('/api/auth/list-accounts')).body), ['credential'])
  })

  it('a second account of one provider is refused', async () => {
    await using w = await world()
    await linkVia(w.ann, 'provider_a')
    w.openId.person = { ...w.openId.person, sub: 'ann-again' }

    assert.equal(await linkVia(w.ann, 'provider_a'), '/?error=provider_already_linked')
  })

  it('needs a session, at the beginning and still at the end', async () => {
    await using w = await world()
    const nobody = await stranger(w.service).post('/api/auth/link-social', { provider: 'provider_a' })
    const callback = await consent(await beginLink(w.ann, 'provider_a', { errorCallbackURL: '/sorry' }))
    await w.ann.post('/api/auth/sign-out')

    assert.deepEqual([nobody.status, nobody.body.code], [401, 'UNAUTHORIZED'])
    assert.equal(await land(w.ann, callback), '/sorry?error=unauthorized')
    assert.equal(await whoIs(w.ann), undefined)
  })

  it('links nothing if another user has signed in to the browser in the meantime', async () => {
    await using w = await world()
    const callback = await consent(await beginLink(w.ann, 'provider_a'))
    await w.ann.post('/api/auth/sign-out')
    await w.ann.post('/api/auth/sign-up/email', {
      email: 'ben@example.com',
      password: 'seven boats',
      name: 'Ben',
    })

    assert.equal(await land(w.ann, callback), '/?error=unauthorized')
    assert.deepEqual(providersOf((await w.ann.get('/api/auth/list-accounts')).body), ['credential'])
  })
})

describe('unlink-account', () => {
  it('removes a sign-in method, but not the last one', async () => {
    await using w = await world()
    await linkVia(w.ann, 'provider_a')

    const first = await w.ann.post('/api/auth/unlink-account', { providerId: 'credential' })
    const last = await w.ann.post('/api/auth/unlink-account', { providerId: 'provider_a' })

    assert.deepEqual([first.status, first.body], [200, { status: true }])
    assert.deepEqual([last.status, last.body.code], [400, 'FAILED_TO_UNLINK_LAST_ACCOUNT'])
    assert.deepEqual(providersOf((await w.ann.get('/api/auth/list-accounts')).body), ['provider_a'])
    assert.equal((await stranger(w.service, 'ann@example.com').signIn()).status, 401)
  })

  it('a provider that is switched off does not count as what is left', async () => {
    await using w = await world()
    await linkVia(w.ann, 'provider_a')
    await changeSettings(w.service, 'authentication', {
      provider_a: { enabled: false, client_id: '', client_secret: '' },
    })

    const { status, body } = await w.ann.post('/api/auth/unlink-account', { providerId: 'credential' })

    assert.deepEqual([status, body.code], [400, 'FAILED_TO_UNLINK_LAST_ACCOUNT'])
  })

  it('both at once: one stays', async () => {
    await using w = await world()
    await linkVia(w.ann, 'provider_a')

    const answers = await Promise.all(
      ['credential', 'provider_a'].map((providerId) =>
        w.ann.post('/api/auth/unlink-account', { providerId }),
      ),
    )

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    assert.equal((await w.ann.get('/api/auth/list-accounts')).body.length, 1)
  })

  it('what is not linked is 404, also with the id of another', async () => {
    await using w = await world()
    await linkVia(w.ann, 'provider_a')

    const none = await w.ann.post('/api/auth/unlink-account', { providerId: 'community' })
    const foreign = await w.ann.post('/api/auth/unlink-account', { providerId: 'provider_a', accountId: 'x' })
    const unknown = await w.ann.post('/api/auth/unlink-account', { providerId: 'nonsense' })

    assert.deepEqual([none.status, foreign.status, unknown.status], [404, 404, 400])
  })

  it('list-accounts needs a session', async () => {
    await using w = await world()

    assert.equal((await stranger(w.service).get('/api/auth/list-accounts')).status, 401)
  })
})

describe('the audit log', () => {
  it('shows sign-ins, refusals, links and unlinks, by provider', async () => {
    await using w = await world()
    await linkVia(w.ann, 'community')
    await w.ann.post('/api/auth/unlink-account', { providerId: 'community' })
    await signInVia(stranger(w.service), 'provider_a')
    w.openId.spoil = { nonce: 'another' }
    await signInVia(stranger(w.service), 'provider_a')

    const entries = await w.service.platform.meta
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
        ['user.sign_in_refused', { provider: 'provider_a', code: 'PROVIDER_ERROR' }],
      ],
    )
  })
})
