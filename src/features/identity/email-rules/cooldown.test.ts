import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'

describe('email rule 5: cooldown', () => {
  it('inside the window a repeat is 429 with Retry-After; after it the next one passes', async ({
    service,
  }) => {
    const carl = stranger(service)
    await carl.signUp()
    service.clock.advance({ seconds: 20 })

    const inside = await carl.signUp()
    service.clock.advance({ seconds: 40 })
    const after = await carl.signUp()

    assert.deepEqual([inside.status, inside.body.code], [429, 'EMAIL_ACTION_RATE_LIMITED'])
    assert.equal(inside.headers.get('retry-after'), '40')
    assert.deepEqual([after.status, after.body.code], [422, 'USER_ALREADY_EXISTS'])
  })

  it('another address is not held up; another spelling of the same one is', async ({ service }) => {
    await stranger(service, 'ann@example.com').signUp()

    assert.equal((await stranger(service, 'ben@example.com').signUp()).status, 200)
    assert.equal((await stranger(service, ' Ann@EXAMPLE.com ').signUp()).status, 429)
  })

  it('is in the key-value store under scene and hashed address', async ({ service }) => {
    await stranger(service, 'ann@example.com').signUp()

    const rows = await service.platform.meta.selectFrom('key_value').select('key').execute()

    const sha256 = '71d4f55f72fa128dfb468a1a3901507c804b74316488744d769d7f4b16696476'
    assert.deepEqual(
      rows.map(({ key }) => key),
      [`email:cooldown:signup:${sha256}`],
    )
  })

  it('exactly one of twenty at once passes, over two processes', async ({ service }) => {
    const body = JSON.stringify({ email: 'ann@example.com', password: 'an owl under the roof', name: 'Ann' })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? service.request : service.requestElsewhere)('/api/auth/sign-up/email', init),
      ),
    )

    const statuses = answers.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    assert.equal(statuses.filter((status) => status === 429).length, 19)
  })

  it('a request that is refused for its input starts no window', async ({ service }) => {
    const carl = stranger(service)
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: ['x.com'] })

    await carl.signUp({ password: 'short' })
    await carl.signUp({ password: 'password1' })
    await carl.signUp({ name: 7 })
    await carl.signUp()
    await changeSettings(service, 'authentication', { email_signup_domain_allowlist: [] })

    assert.equal((await carl.signUp()).status, 200)
  })

  it('a sign-up that fails through our fault starts no window', async ({ service }) => {
    const carl = stranger(service)
    await service.platform.meta.updateTable('shards').set({ state: 'draining' }).execute()
    const refused = await carl.signUp()
    await service.platform.meta.updateTable('shards').set({ state: 'active' }).execute()

    const accepted = await carl.signUp()

    assert.equal(refused.status, 503)
    assert.equal(accepted.status, 200)
  })

  it('a window made longer in the settings covers what was done before, in every process', async ({
    service,
  }) => {
    const elsewhere = { ...service, request: service.requestElsewhere }
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 5 })
    await stranger(service).signUp()
    service.clock.advance({ seconds: 10 })
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 3600 })

    const answers = [await stranger(service).signUp(), await stranger(elsewhere).signUp()]

    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('retry-after')]),
      [
        [429, '3590'],
        [429, '3590'],
      ],
    )
  })

  it('a window changed in the settings counts for the next request', async ({ service }) => {
    const carl = stranger(service)
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 3600 })
    await carl.signUp()
    service.clock.advance({ seconds: 10 })
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 5 })

    const after = await carl.signUp()
    const again = await carl.signUp()
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
    const without = await carl.signUp()

    assert.deepEqual([after.status, again.status, without.status], [422, 429, 422])
  })
})
