import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'

describe('a clock that steps', () => {
  it('back by an hour, and forward again, ends no session', async ({ service, ann }) => {
    service.clock.advance({ hours: -1 })
    const back = await ann.get('/api/auth/get-session')
    service.clock.advance({ hours: 2 })
    const forth = await ann.get('/api/auth/get-session')

    assert.equal(back.body.user.id, ann.id)
    assert.equal(forth.body.user.id, ann.id)
  })

  it('back by an hour lets a session last at most that hour longer', async ({ service, ann }) => {
    service.clock.advance({ hours: -1 })
    await ann.get('/api/auth/get-session')
    service.clock.advance({ days: 30, hours: 1, seconds: 1 })

    assert.equal((await ann.get('/api/auth/get-session')).body, null)
  })

  it('back by an hour keeps a code for its five minutes and that hour, not for good', async ({
    service,
    administrator,
    ann,
  }) => {
    await administrator.saveSettings('email', { provider: 'outbox' })
    await ann.post('/api/auth/email-otp/send-verification-otp', {
      email: ann.email,
      type: 'email-verification',
    })
    const otp = await service.mail.codeFor(ann.email)

    service.clock.advance({ hours: -1 })
    service.clock.advance({ hours: 1, minutes: 5, seconds: 1 })
    const late = await ann.post('/api/auth/email-otp/verify-email', { email: ann.email, otp })

    assert.equal(late.body.code, 'OTP_EXPIRED')
  })
})
