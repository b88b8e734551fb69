import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../providers/it.ts'
import { begin, consent, land, signInVia, whoIs } from '../../providers/journey.ts'
import { assertRefused } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor } from '../../service/grants.ts'
import { stranger } from '../../service/people.ts'

const BEGIN = '/api/auth/sign-in/social'

describe('12. an address under community.local cannot be used to sign up', () => {
  it('cannot be taken before the account comes, nor linked to by it', async ({ service, visitor }) => {
    const squatter = stranger(service, 'community-42@community.local')

    assert.equal((await squatter.signUp()).status, 400)
    await signInVia(visitor, 'community')
    assert.equal((await whoIs(visitor)).email, squatter.email)
  })
})

describe('29. provider settings take effect on the next request, in every process', () => {
  it('switched off between the beginning and the end: nobody gets in', async ({ service, visitor }) => {
    const callback = await consent(await begin(visitor, 'provider_a'))
    const off = { enabled: false, client_id: '', client_secret: '' }
    await changeSettings(service, 'authentication', { provider_a: off })
    const elsewhere = stranger({ ...service, request: service.requestElsewhere })

    assert.equal(await land(visitor, callback), '/sign-in?error=provider_disabled')
    for (const browser of [visitor, elsewhere])
      assertRefused(await browser.post(BEGIN, { provider: 'provider_a' }), 'PROVIDER_DISABLED')
  })
})

describe('34. a session id from before a sign-in with a provider is never the id after it', () => {
  it('each sign-in gives a new token', async ({ visitor }) => {
    visitor.cookies.set('session', 'ghs_planted')

    await signInVia(visitor, 'provider_a')
    const first = visitor.cookies.get('session')
    await signInVia(visitor, 'provider_a')

    assert.match(first ?? '', /^ghs_[\w-]{43}$/)
    assert.notEqual(visitor.cookies.get('session'), first)
  })
})

describe('43. return addresses are our own paths', () => {
  const EVIL = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    ' //evil.example',
    '/..//evil.example',
    '/./\u002f/evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https://evil.example/',
    'HTTPS://evil.example',
    'http://localhost:5173.evil.example/',
    'http://localhost:5173@evil.example/',
    'http://user:word@localhost:5173/',
    'http://localhost:5174/',
    'https://localhost:5173/',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'home',
    '?x=1',
    `/${'x'.repeat(3000)}`,
  ]
  for (const [path, sent] of [
    [BEGIN, { provider: 'provider_a' }],
    ['/api/auth/sign-in/oauth2', { providerId: 'community' }],
    ['/api/auth/link-social', { provider: 'provider_a' }],
    ['/api/auth/oauth2/link', { providerId: 'community' }],
  ] as const) {
    for (const field of ['callbackURL', 'errorCallbackURL']) {
      it(`others are refused as ${field} of ${path}`, async ({ carl }) => {
        for (const address of EVIL)
          assertRefused(await carl.post(path, { ...sent, [field]: address }), 'INVALID_REQUEST', field)
      })
    }
  }

  it.for([
    ['/welcome?tour=1#top', '/welcome?tour=1#top'],
    ['/a/../b', '/b'],
    ['/sign-in?next=//evil.example', '/sign-in?next=//evil.example'],
    ['http://localhost:5173', '/'],
    ['http://localhost:5173/home?x=1', '/home?x=1'],
  ] as const)('%s leads to %s', async ([callbackURL, path], { visitor }) => {
    assert.equal(await signInVia(visitor, 'provider_a', { callbackURL }), path)
  })

  it('a callback takes no address from its own parameters', async ({ visitor }) => {
    const callback = await consent(await begin(visitor, 'provider_a', { callbackURL: '/home' }))

    const landed = await land(visitor, `${callback}&callbackURL=//evil.example&redirect_uri=//evil.example`)

    assert.equal(landed, '/home')
  })
})

describe('a flood of beginnings', () => {
  it('from one network is refused with Retry-After, and does not delay any other', async ({ service }) => {
    const attempt = (address: string) =>
      stranger(service).post(BEGIN, { provider: 'provider_a' }, { 'x-forwarded-for': address })

    const answers = await Promise.all(Array.from({ length: 130 }, () => attempt('198.51.100.7')))

    const refused = answers.filter(({ status }) => status === 429)
    assert.equal(refused.length, 10)
    for (const answer of refused) {
      assertRefused(answer, 'RATE_LIMITED')
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    }
    assert.equal((await attempt('198.51.100.8')).status, 200)
  })
})

describe('45. what contains secrets is not stored', () => {
  it('beginning, callback and list of accounts carry no-store', async ({ visitor }) => {
    const beginning = await visitor.post(BEGIN, { provider: 'provider_a' })
    const callback = await visitor.get(await consent(new URL(beginning.body.url)))
    const accounts = await visitor.get('/api/auth/list-accounts')

    for (const { headers } of [beginning, callback, accounts]) assert.equal(headers.get('cache-control'), 'no-store')
  })
})

describe('63. a grant of the command-line client reaches no account of a provider', () => {
  it('its access token neither lists, links nor unlinks', async ({ carl }) => {
    const client = await grantFor(carl, 'account:profile:read', 'account:profile:write')
    const bearer = { authorization: `Bearer ${client.tokens.access_token}` }

    for (const answer of [
      await carl.get('/api/auth/list-accounts', bearer),
      await client.post('/api/auth/link-social', { provider: 'provider_a' }),
      await client.post('/api/auth/oauth2/link', { providerId: 'community' }),
      await client.post('/api/auth/unlink-account', { providerId: 'credential' }),
    ])
      assertRefused(answer, 'FORBIDDEN')
  })
})

describe('64. secrets of providers stay where they are', () => {
  it('none of them is in the store or the log after a sign-in', async ({ service, visitor }) => {
    const { meta } = service.platform
    const page = await begin(visitor, 'community')
    const flow = await meta.selectFrom('provider_flow').selectAll().executeTakeFirstOrThrow()
    const callback = await consent(page)
    const browser = visitor.cookies.get('provider_flow')
    await land(visitor, callback)
    await land(visitor, callback)

    const { code, state } = Object.fromEntries(new URL(callback, 'http://localhost').searchParams)
    const settings = await meta.selectFrom('settings').selectAll().execute()
    const everything = JSON.stringify([flow, settings, service.log.lines])
    for (const secret of [code, state, browser, 'the-secret'])
      assert.equal(everything.includes(String(secret)), false, `${secret} is in clear`)
  })
})
