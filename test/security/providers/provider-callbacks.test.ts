import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../providers/it.ts'
import { begin, consent, enableProvider, land, signInVia, whoIs } from '../../providers/journey.ts'
import { stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

describe('44. a callback counts once, in time, and in the browser that began', () => {
  const invalid = '/sign-in?error=state_invalid'

  it('a missing, empty, doubled or unknown state signs nobody in', async ({ visitor }) => {
    const callback = new URL(await consent(await begin(visitor, 'provider_a')), 'http://localhost')
    const state = callback.searchParams.get('state') ?? ''

    for (const query of ['', '?code=x', '?code=x&state=', '?code=x&state=unknown', `?state=${state}&state=x`])
      assert.equal(await land(visitor, callback.pathname + query), invalid)
    assert.equal(await whoIs(visitor), undefined)
  })

  it('a state that was used is gone, also for twenty at once', async ({ visitor }) => {
    const callback = await consent(await begin(visitor, 'provider_a', { callbackURL: '/home' }))

    const landed = await Promise.all(Array.from({ length: 20 }, () => land(visitor, callback)))

    assert.deepEqual(landed.toSorted(), ['/home', ...Array(19).fill(invalid)])
  })

  it('a state is used up by a failure too', async ({ visitor }) => {
    const callback = await consent(await begin(visitor, 'provider_a'))

    assert.equal(await land(visitor, `${callback}&error=access_denied`), '/sign-in?error=access_denied')
    assert.equal(await land(visitor, callback), invalid)
  })

  it("another user's callback signs no one in: login CSRF", async ({ service, visitor }) => {
    const callback = await consent(await begin(stranger(service), 'provider_a'))

    assert.equal(await land(visitor, callback), invalid)
    await begin(visitor, 'provider_a')
    assert.equal(await land(visitor, callback), invalid)
    assert.equal(await whoIs(visitor), undefined)
  })

  it('a state of one provider is refused at another', async ({ visitor }) => {
    const callback = await consent(await begin(visitor, 'provider_a'))

    assert.equal(await land(visitor, callback.replace('provider_a', 'provider_b')), invalid)
    assert.equal(await whoIs(visitor), undefined)
  })

  it('a state is valid for ten minutes, and is deleted afterwards', async ({ service, visitor }) => {
    const early = await consent(await begin(visitor, 'provider_a', { callbackURL: '/home' }))
    const late = await consent(await begin(visitor, 'provider_a'))
    service.clock.advance({ minutes: 9, seconds: 59 })
    assert.equal(await land(visitor, early), '/home')
    service.clock.advance({ seconds: 1 })

    assert.equal(await land(visitor, late), invalid)
    await begin(visitor, 'provider_a')
    service.clock.advance({ minutes: 10 })
    await service.runJob('provider-flows')
    assert.deepEqual(await service.platform.meta.selectFrom('provider_flow').selectAll().execute(), [])
  })

  it.for(['\r\nx: y', 'é\u4e00'])(
    'an access token that no header can hold (%j) is an error of the provider, and in no log',
    async (access_token, { forum, service, visitor }) => {
      forum.broken.set('/oauth2/token', { status: 200, body: { access_token, token_type: 'bearer' } })

      assert.equal(await signInVia(visitor, 'community'), '/sign-in?error=provider_error')
      assert.doesNotMatch(JSON.stringify(service.log.lines), /x: y|é/)
    },
  )

  it('two tabs of one browser both sign in', async ({ visitor }) => {
    const first = await consent(await begin(visitor, 'provider_a', { callbackURL: '/first' }))
    const second = await consent(await begin(visitor, 'provider_a', { callbackURL: '/second' }))

    assert.equal(await land(visitor, second), '/second')
    assert.equal(await land(visitor, first), '/first')
  })

  it('the cookie of the browser is HttpOnly, Lax, short, and of the host', async ({ openId, visitor }) => {
    const env = { APP_DOMAIN: 'id.example.com', PROVIDER_A: openId.preset }
    await using secure = await startService({ env })
    await enableProvider(secure, 'provider_a')

    const [here = '', there = ''] = await Promise.all(
      [visitor, stranger(secure)].map(async (browser) => {
        const { headers } = await browser.post('/api/auth/sign-in/social', { provider: 'provider_a' })
        return headers.getSetCookie().find((cookie) => cookie.includes('provider_flow='))
      }),
    )

    for (const part of [/^provider_flow=/, /HttpOnly/, /SameSite=Lax/, /Path=\//, /Max-Age=600/])
      assert.match(here, part)
    assert.match(there, /^__Host-provider_flow=.*; Secure/)
  })
})
