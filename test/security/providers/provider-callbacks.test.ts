import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { begin, beginLink, consent, enableProvider, land, whoIs } from '../../providers/journey.ts'
import { stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { world } from '../support/providers.ts'

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

  it("another user's callback signs no one in: login CSRF", async () => {
    await using w = await world()
    const mallory = stranger(w.service)
    const callback = await consent(await begin(mallory, 'provider_a'))

    assert.equal(await land(w.ann, callback), invalid)
    await begin(w.ann, 'provider_a')
    assert.equal(await land(w.ann, callback), invalid)
    assert.equal(await whoIs(w.ann), undefined)
  })

  it('a state of one provider is refused at another', async () => {
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

  it('two tabs of one browser both sign in', async () => {
    await using w = await world()
    const first = await consent(await begin(w.ann, 'provider_a', { callbackURL: '/first' }))
    const second = await consent(await begin(w.ann, 'provider_a', { callbackURL: '/second' }))

    assert.equal(await land(w.ann, second), '/second')
    assert.equal(await land(w.ann, first), '/first')
  })

  it('the cookie that identifies the browser is HttpOnly, Lax, short-lived, and bound to the host on https', async () => {
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
