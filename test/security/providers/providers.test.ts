import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { begin, consent, land, signInVia, whoIs } from '../../providers/journey.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import { world } from '../support/providers.ts'

describe('12. an address under community.local cannot be used to sign up', () => {
  it('cannot be taken before the community account comes, nor linked to by it', async () => {
    await using w = await world()
    const squatter = stranger(w.service, 'community-42@community.local')

    const { status } = await squatter.signUp()
    await signInVia(w.ann, 'community')

    assert.equal(status, 400)
    assert.equal((await whoIs(w.ann)).email, 'community-42@community.local')
  })
})

describe('13. an unverified address never attaches to an account', () => {
  for (const email_verified of [false, undefined, 'false', 0, null]) {
    it(`email_verified ${JSON.stringify(email_verified)}`, async () => {
      await using w = await world()
      const owner = stranger(w.service, 'ann@example.com')
      await owner.signUp()
      w.openId.person = { ...w.openId.person, email_verified }

      await signInVia(w.ann, 'provider_a')

      assert.notEqual((await whoIs(w.ann))?.id, owner.id)
      const { body } = await owner.get('/api/auth/list-accounts')
      assert.equal(body.length, 1)
    })
  }

  it('neither does a verified one: only a signed-in user can link', async () => {
    await using w = await world()
    const owner = stranger(w.service, 'ann@example.com')
    await owner.signUp()

    assert.equal(await signInVia(w.ann, 'provider_a'), '/sign-in?error=account_not_linked')
    assert.equal(await whoIs(w.ann), undefined)
  })
})

describe('29. provider settings take effect on the next request, in every process', () => {
  it('switched off between the beginning and the end: nobody gets in', async () => {
    await using w = await world()
    const callback = await consent(await begin(w.ann, 'provider_a'))
    const off = { enabled: false, client_id: '', client_secret: '' }
    await changeSettings(w.service, 'authentication', { provider_a: off })

    const landed = await land(w.ann, callback)
    const here = await w.ann.post('/api/auth/sign-in/social', { provider: 'provider_a' })
    const there = await w.service.requestElsewhere('/api/auth/sign-in/social', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"provider":"provider_a"}',
    })

    assert.equal(landed, '/sign-in?error=provider_disabled')
    assert.deepEqual([here.status, there.status], [404, 404])
  })
})

describe('34. a session id from before a sign-in with a provider is never the id after it', () => {
  it('each sign-in gives a new token', async () => {
    await using w = await world()
    w.ann.cookies.set('session', 'ghs_planted')

    await signInVia(w.ann, 'provider_a')
    const first = w.ann.cookies.get('session')
    await signInVia(w.ann, 'provider_a')

    assert.match(first ?? '', /^ghs_[\w-]{43}$/)
    assert.notEqual(w.ann.cookies.get('session'), first)
  })
})

describe('43. return addresses are our own paths', () => {
  const evil = [
    '//evil.example',
    '/\\evil.example',
    'https:evil.example',
    'https://evil.example/',
    'https://localhost:5173.evil.example/',
    'https://localhost:5173@evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/..//evil.example',
  ]
  for (const address of evil) {
    it(`${JSON.stringify(address)} is refused at every beginning`, async () => {
      await using w = await world()
      await w.ann.signUp()
      const attempts = [
        ['/api/auth/sign-in/social', { provider: 'provider_a', callbackURL: address }],
        ['/api/auth/sign-in/social', { provider: 'provider_a', errorCallbackURL: address }],
        ['/api/auth/sign-in/oauth2', { providerId: 'community', callbackURL: address }],
        ['/api/auth/link-social', { provider: 'provider_a', callbackURL: address }],
        ['/api/auth/oauth2/link', { providerId: 'community', errorCallbackURL: address }],
      ] as const

      const answers = await Promise.all(attempts.map(([path, body]) => w.ann.post(path, body)))

      for (const { status, body } of answers) {
        assert.equal(status, 400)
        assert.equal(body.code, 'INVALID_REQUEST')
        assert.match(body.issues[0].path, /^(error)?[cC]allbackURL$/)
      }
    })
  }

  it('a callback takes no address from its own parameters', async () => {
    await using w = await world()
    const callback = await consent(await begin(w.ann, 'provider_a', { callbackURL: '/home' }))

    const landed = await land(w.ann, `${callback}&callbackURL=//evil.example&redirect_uri=//evil.example`)

    assert.equal(landed, '/home')
  })
})

describe('a flood of beginnings', () => {
  it('from one network is refused with Retry-After, and does not delay any other', async () => {
    await using w = await world()
    const attempt = async (address: string) => {
      const headers = { 'x-forwarded-for': address }
      return stranger(w.service).post('/api/auth/sign-in/social', { provider: 'provider_a' }, headers)
    }

    const answers = await Promise.all(Array.from({ length: 130 }, () => attempt('198.51.100.7')))
    const other = await attempt('198.51.100.8')

    const refused = answers.filter(({ status }) => status === 429)
    assert.equal(refused.length, 10)
    for (const { body, headers } of refused) {
      assert.equal(body.code, 'RATE_LIMITED')
      assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    }
    assert.equal(other.status, 200)
  })
})

describe('45. what contains secrets is not stored', () => {
  it('beginning, callback and list of accounts carry no-store', async () => {
    await using w = await world()
    const beginning = await w.ann.post('/api/auth/sign-in/social', { provider: 'provider_a' })
    const callback = await w.ann.get(await consent(new URL(beginning.body.url)))
    const accounts = await w.ann.get('/api/auth/list-accounts')

    for (const { headers } of [beginning, callback, accounts]) {
      assert.equal(headers.get('cache-control'), 'no-store')
    }
  })
})

describe('63. a grant of the command-line client reaches no account of a provider', () => {
  it('its access token neither lists, links nor unlinks', async () => {
    await using w = await world()
    await w.ann.signUp()
    const client = await grantFor(w.ann, 'account:profile:read', 'account:profile:write')
    const bearer = { authorization: `Bearer ${client.tokens.access_token}` }

    const answers = [
      await w.ann.get('/api/auth/list-accounts', bearer),
      await client.post('/api/auth/link-social', { provider: 'provider_a' }),
      await client.post('/api/auth/oauth2/link', { providerId: 'community' }),
      await client.post('/api/auth/unlink-account', { providerId: 'credential' }),
    ]

    for (const { status, body } of answers) assert.deepEqual([status, body.code], [403, 'FORBIDDEN'])
  })
})

describe('64. secrets of providers stay where they are', () => {
  it('no token, code, verifier, state, cookie or client secret is in the store or the log after a sign-in', async () => {
    await using w = await world()
    const page = await begin(w.ann, 'community')
    const row = await w.service.platform.meta
      .selectFrom('provider_flow')
      .selectAll()
      .executeTakeFirstOrThrow()
    const callback = await consent(page)
    const browser = w.ann.cookies.get('provider_flow') ?? 'missing'
    await land(w.ann, callback)
    await land(w.ann, callback)

    const answer = new URL(callback, 'http://localhost').searchParams
    const secrets = [answer.get('code'), answer.get('state'), browser, 'the-secret'].map(String)
    const settings = await w.service.platform.meta.selectFrom('settings').selectAll().execute()
    const everything = JSON.stringify([row, settings, w.service.log.lines])
    for (const secret of secrets) assert.equal(everything.includes(secret), false, `${secret} is in clear`)
  })
})
