import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { decideDevice, poll, startDevice } from '../../service/grants.ts'
import { READ, world } from '../support/oauth.ts'

describe('57. a device', () => {
  it('starts with a form, waits in RFC terms, and gets its tokens exactly once', async () => {
    await using here = await world()
    const { body } = await startDevice(here.device, READ)
    const errors = [(await poll(here.device, body.device_code)).body.error]
    errors.push((await poll(here.device, body.device_code)).body.error)
    here.service.clock.advance({ seconds: 9 })
    errors.push((await poll(here.device, body.device_code)).body.error)
    await decideDevice(here.ann, body.user_code, true)
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(here.device, body.device_code)))

    assert.deepEqual(errors, ['authorization_pending', 'slow_down', 'slow_down'])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  it('learns from its next poll that it was denied, or has expired', async () => {
    await using here = await world()
    const denied = (await startDevice(here.device, READ)).body
    const forgotten = (await startDevice(here.device, READ)).body
    await decideDevice(here.ann, denied.user_code, false)
    const refused = await poll(here.device, denied.device_code)
    here.service.clock.advance({ seconds: 600 })

    assert.equal(refused.body.error, 'access_denied')
    assert.equal((await poll(here.device, forgotten.device_code)).body.error, 'expired_token')
  })
})

describe('58. a user code', () => {
  it('has no vowels or look-alikes, is case- and dash-blind, and is shown before approval', async () => {
    await using here = await world()
    const { user_code, verification_uri_complete } = (await startDevice(here.device, READ)).body
    const typed = user_code.toLowerCase().replace('-', '')

    const begun = await here.ann.post('/api/oauth/begin_authorization', { user_code: typed })
    const shown = await here.ann.post('/api/oauth/get_authorization', begun.body)
    const opened = Object.fromEntries(new URL(verification_uri_complete).searchParams)
    const fromLink = await here.ann.post('/api/oauth/begin_authorization', opened)
    const shownFromLink = await here.ann.post('/api/oauth/get_authorization', fromLink.body)

    assert.doesNotMatch(user_code, /[AEIOUY01258]/)
    assert.deepEqual([shown.body.user_code, shownFromLink.body.user_code], [user_code, user_code])
  })

  it('cannot be guessed', async () => {
    await using here = await world()
    const guess = () => here.ann.post('/api/oauth/begin_authorization', { user_code: 'BCDF-GHJK' })

    const answers = await Promise.all(Array.from({ length: 25 }, guess))

    assert.equal(answers.filter(({ status }) => status === 404).length, 20)
    assert.equal(answers.filter(({ status }) => status === 429).length, 5)
  })
})
