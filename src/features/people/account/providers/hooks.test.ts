import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it as base } from '../../../../../test/providers/it.ts'
import { signInVia, whoIs } from '../../../../../test/providers/journey.ts'
import { stranger } from '../../../../../test/service/people.ts'
import { startReceiver } from '../../../../../test/service/receiver.ts'

const it = base.extend('receiver', async ({ administrator, openId }, { onCleanup }) => {
  openId.person = { ...openId.person, sub: 'dora', email: 'dora@example.com' }
  const receiver = await startReceiver(administrator)
  onCleanup(() => receiver[Symbol.asyncDispose]())
  return receiver
})

const NO = { allow: false, message: '<b>No</b> & "no"?error=none' }

describe('134. a hook and a provider', () => {
  it('is asked once before the provider makes a user, with its slot, and its words are in the address', async ({
    service,
    administrator,
    visitor,
    receiver,
  }) => {
    await receiver.turnOn('before_sign_up')
    await receiver.turnOn('before_sign_in')
    receiver.says(NO)
    const refused = await signInVia(visitor, 'provider_a')
    const nobody = await whoIs(visitor)
    receiver.says({ allow: true, data: { public: { plan: 'pro' } } })
    await signInVia(visitor, 'provider_a')
    const { id, email } = await whoIs(visitor)
    const { body: data } = await administrator.post('/api/admin/get_user_data', { id })

    const address = new URL(refused ?? '', service.config.baseUrl)
    assert.equal(address.searchParams.get('error'), 'hook_refused')
    assert.equal(address.searchParams.get('error_description'), NO.message)
    assert.deepEqual([...address.searchParams.keys()].toSorted(), ['error', 'error_description'])
    assert.doesNotMatch(JSON.stringify(service.log.lines), /error=none/)
    assert.equal(nobody, undefined)
    assert.deepEqual(data.public, { plan: 'pro' })
    const questions = receiver.asked().map(({ type, user, context }) => [type, user.id, user.email, context.method])
    assert.deepEqual(questions, Array(2).fill(['before_sign_up', null, email, 'provider_a']))
  })

  it('is asked once before a sign-in with the provider, and refuses without a session', async ({
    service,
    visitor,
    receiver,
  }) => {
    await signInVia(visitor, 'provider_a')
    const { id } = await whoIs(visitor)
    await receiver.turnOn('before_sign_in')
    receiver.says('nonsense')
    const elsewhere = stranger(service)
    const failed = await signInVia(elsewhere, 'provider_a')
    const nobody = await whoIs(elsewhere)
    receiver.says({ allow: true })
    await signInVia(elsewhere, 'provider_a')

    assert.match(failed ?? '', /[?&]error=hook_unavailable/)
    assert.equal(nobody, undefined)
    assert.equal((await whoIs(elsewhere)).id, id)
    const questions = receiver.asked().map(({ type, user, context }) => [type, user.id, context.method])
    assert.deepEqual(questions, Array(2).fill(['before_sign_in', id, 'provider_a']))
  })
})
