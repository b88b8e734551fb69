import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { begin, beginLink, consent, enableProvider, land, signInVia, whoIs } from '../../providers/journey.ts'
import { startOpenIdProvider } from '../../providers/openid-provider.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

async function world() {
  const openId = await startOpenIdProvider()
  const forum = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ann' } })
  const env = {
    PROVIDER_A: openId.preset,
    PROVIDER_B: openId.preset,
    COMMUNITY_AUTH_URL: forum.url,
    TRUSTED_PROXIES: '127.0.0.1',
  }
  const service = await startService({ env })
  openId.now = service.clock.now
  for (const slot of ['provider_a', 'provider_b', 'community'] as const) await enableProvider(service, slot)
  return {
    openId,
    forum,
    service,
    ann: stranger(service),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await forum[Symbol.asyncDispose]()
      await openId.stop()
    },
  }
}

describe('12. an address under community.local belongs to nobody who signs up', () => {
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

  it('a verified one does not either: linking is a signed-in act', async () => {
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

describe('44. a callback counts once, in time, and in the browser that began', () => {
  const invalid = '/sign-in?error=state_invalid'

  it('a missing, empty, doubled or unknown state signs nobody in', async () => {
    await using w = await world()
    const callback = new URL(await consent(await begin(w.ann, 'provider_a')), 'http://localhost')
    const state = callback.searchParams.get('state') ?? ''
    const { pathname } = callback

    for (const query of [
      '',
      '?code=x',
      '?code=x&state=',
      '?code=x&state=unknown',
      `?state=${state}&state=x`,
    ]) {
      assert.equal(await land(w.ann, pathname + query), invalid)
    }
    assert.equal(await whoIs(w.ann), undefined)
  })

  it('a state that was used is gone, also for twenty at once', async () => {
    await using w = await world()
    const callback = await consent(await begin(w.ann, 'provider_a', { callbackURL: '/home' }))

    const landed = await Promise.all(Array.from({ length: 20 }, () => land(w.ann, callback)))

    assert.equal(landed.filter((address) => address === '/home').length, 1)
    assert.equal(landed.filter((address) => address === invalid).length, 19)
  })

  it('a state is used up by a failure too', async () => {
    await using w = await world()
    const callback = await consent(await begin(w.ann, 'provider_a'))

    assert.equal(await land(w.ann, `${callback}&error=access_denied`), '/sign-in?error=access_denied')
    assert.equal(await land(w.ann, callback), invalid)
  })

  it("somebody else's callback signs nobody in: login CSRF", async () => {
    await using w = await world()
    const mallory = stranger(w.service)
    const callback = await consent(await begin(mallory, 'provider_a'))

    assert.equal(await land(w.ann, callback), invalid)
    await begin(w.ann, 'provider_a')
    assert.equal(await land(w.ann, callback), invalid)
    assert.equal(await whoIs(w.ann), undefined)
  })

  it('a state of one provider does not end at another', async () => {
    await using w = await world()
    const callback = await consent(await begin(w.ann, 'provider_a'))

    assert.equal(await land(w.ann, callback.replace('provider_a', 'provider_b')), invalid)
    assert.equal(await whoIs(w.ann), undefined)
  })

  it('a state is valid for ten minutes, and is deleted afterwards', async () => {
    await using w = await world()
    const early = await consent(await begin(w.ann, 'provider_a', { callbackURL: '/home' }))
    const late = await consent(await begin(w.ann, 'provider_a'))
    w.service.clock.advance({ minutes: 9, seconds: 59 })
    assert.equal(await land(w.ann, early), '/home')
    w.service.clock.advance({ seconds: 1 })

    assert.equal(await land(w.ann, late), invalid)
    await begin(w.ann, 'provider_a')
    w.service.clock.advance({ minutes: 10 })
    await w.service.runJob('provider-flows')
    assert.deepEqual(await w.service.platform.meta.selectFrom('provider_flow').selectAll().execute(), [])
  })

  it('two tabs of one browser both get through', async () => {
    await using w = await world()
    const first = await consent(await begin(w.ann, 'provider_a', { callbackURL: '/first' }))
    const second = await consent(await begin(w.ann, 'provider_a', { callbackURL: '/second' }))

    assert.equal(await land(w.ann, second), '/second')
    assert.equal(await land(w.ann, first), '/first')
  })

  it('the cookie that binds is HttpOnly, Lax, short-lived, and host-bound on https', async () => {
    await using w = await world()
    await using secure = await startService({
      env: { APP_DOMAIN: 'id.example.com', PROVIDER_A: w.openId.preset },
    })
    await enableProvider(secure, 'provider_a')

    const here = await w.ann.post('/api/auth/sign-in/social', { provider: 'provider_a' })
    const there = await stranger(secure).post('/api/auth/sign-in/social', { provider: 'provider_a' })

    const flowCookie = (headers: Headers) =>
      headers.getSetCookie().find((c) => c.includes('provider_flow=')) ?? ''
    for (const part of [/^provider_flow=/, /HttpOnly/, /SameSite=Lax/, /Path=\//, /Max-Age=600/]) {
      assert.match(flowCookie(here.headers), part)
    }
    assert.match(flowCookie(there.headers), /^__Host-provider_flow=.*; Secure/)
  })

  it('a link ends only for the person who began it', async () => {
    await using w = await world()
    await w.ann.signUp()
    const callback = await consent(await beginLink(w.ann, 'community'))
    const session = w.ann.cookies.get('session') ?? ''
    const ben = stranger(w.service, 'ben@example.com')
    await ben.signUp()
    w.ann.cookies.set('session', ben.cookies.get('session') ?? '')

    assert.equal(await land(w.ann, callback), '/?error=unauthorized')
    w.ann.cookies.set('session', session)
    assert.equal((await w.ann.get('/api/auth/list-accounts')).body.length, 1)
    assert.equal((await ben.get('/api/auth/list-accounts')).body.length, 1)
  })
})

describe('a flood of beginnings', () => {
  it('from one network is refused with Retry-After, and holds up no other', async () => {
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

describe('45. what holds secrets is not stored', () => {
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
