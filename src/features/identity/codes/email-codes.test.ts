import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { Person, people, stranger } from '../../../../test/service/people.ts'
import { serviceWithMail } from '../../../../test/service/with-mail.ts'

const SEND = '/api/auth/email-otp/send-verification-otp'

const VERIFY = '/api/auth/email-otp/verify-email'

const REQUEST_RESET = '/api/auth/email-otp/request-password-reset'

const RESET = '/api/auth/email-otp/reset-password'

describe('verification of an address', () => {
  it('is done with the code from the mail, which never signs in', async () => {
    await using service = await serviceWithMail()
    await changeSettings(service, 'authentication', { email_verification_required: true })
    const carl = stranger(service)
    await carl.signUp()
    const sent = await askForCode(carl)

    const { status, body, headers } = await carl.post(VERIFY, {
      email: carl.email,
      otp: await service.mail.codeFor(carl.email),
    })

    assert.deepEqual([sent.status, sent.body], [200, { success: true }])
    assert.deepEqual([status, body.status, body.token, body.user.emailVerified], [200, true, null, true])
    assert.equal(headers.get('set-auth-token'), null)
    assert.equal((await carl.get('/api/auth/get-session')).body, null)
    assert.equal((await carl.signIn()).status, 200)
  })

  it('a used code fails', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await askForCode(ann)
    const otp = await service.mail.codeFor(ann.email)
    await ann.post(VERIFY, { email: ann.email, otp })

    const again = await ann.post(VERIFY, { email: ann.email, otp })

    assert.deepEqual([again.status, again.body.code], [400, 'INVALID_OTP'])
  })

  it('a code is valid for 300 seconds and no longer', async () => {
    await using service = await serviceWithMail()
    const { ann, ben } = await people(service)
    await askForCode(ann)
    await askForCode(ben)
    const annsCode = await service.mail.codeFor(ann.email)
    const bensCode = await service.mail.codeFor(ben.email)

    service.clock.advance({ seconds: 299, milliseconds: 999 })
    const inTime = await ann.post(VERIFY, { email: ann.email, otp: annsCode })
    service.clock.advance({ milliseconds: 1 })
    const late = await ben.post(VERIFY, { email: ben.email, otp: bensCode })

    assert.equal(inTime.status, 200)
    assert.deepEqual([late.status, late.body.code], [400, 'OTP_EXPIRED'])
  })

  it('the right code fails after three wrong ones', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await askForCode(ann)
    const otp = await service.mail.codeFor(ann.email)

    for (const wrong of wrongCodes(otp, 3)) {
      const answer = await ann.post(VERIFY, { email: ann.email, otp: wrong })
      assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_OTP'])
    }
    const right = await ann.post(VERIFY, { email: ann.email, otp })

    assert.deepEqual([right.status, right.body.code], [403, 'TOO_MANY_ATTEMPTS'])
  })

  it('the right code passes after two wrong ones', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await askForCode(ann)
    const otp = await service.mail.codeFor(ann.email)
    for (const wrong of wrongCodes(otp, 2)) await ann.post(VERIFY, { email: ann.email, otp: wrong })

    assert.equal((await ann.post(VERIFY, { email: ann.email, otp })).status, 200)
  })

  it('of twenty guesses at once three are checked', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await askForCode(ann)
    const otp = await service.mail.codeFor(ann.email)

    const answers = await Promise.all(
      wrongCodes(otp, 20).map((guess) => ann.post(VERIFY, { email: ann.email, otp: guess })),
    )

    assert.equal(answers.filter(({ body }) => body.code === 'INVALID_OTP').length, 3)
    assert.equal(answers.filter(({ body }) => body.code === 'TOO_MANY_ATTEMPTS').length, 17)
    assert.equal((await ann.post(VERIFY, { email: ann.email, otp })).body.code, 'TOO_MANY_ATTEMPTS')
  })

  it('of twenty requests at once with the right code one succeeds', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await askForCode(ann)
    const otp = await service.mail.codeFor(ann.email)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ann.post(VERIFY, { email: ann.email, otp })),
    )

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  it('a new code voids the old', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await askForCode(ann)
    const old = await service.mail.codeFor(ann.email)
    service.clock.advance({ seconds: 61 })
    await askForCode(ann)
    const fresh = await service.mail.codeFor(ann.email)

    const withOld = await ann.post(VERIFY, { email: ann.email, otp: old })
    const withFresh = await ann.post(VERIFY, { email: ann.email, otp: fresh })

    if (old !== fresh) assert.equal(withOld.body.code, 'INVALID_OTP')
    assert.equal(withFresh.status, 200)
  })

  it('failed codes are capped a day for each address, however many new ones are sent', async () => {
    await using service = await serviceWithMail()
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
    const { ann } = await people(service)
    for (let code = 0; code < 5; code++) {
      await askForCode(ann)
      const otp = await service.mail.codeFor(ann.email)
      for (const wrong of wrongCodes(otp, 3)) await ann.post(VERIFY, { email: ann.email, otp: wrong })
    }

    await askForCode(ann)
    const capped = await ann.post(VERIFY, { email: ann.email, otp: await service.mail.codeFor(ann.email) })
    service.clock.advance({ days: 1 })
    await askForCode(ann)
    const nextDay = await ann.post(VERIFY, { email: ann.email, otp: await service.mail.codeFor(ann.email) })

    assert.deepEqual([capped.status, capped.body.code], [403, 'TOO_MANY_ATTEMPTS'])
    assert.equal(nextDay.status, 200)
  })

  it('a code for one address or purpose serves no other', async () => {
    await using service = await serviceWithMail()
    const { ann, ben } = await people(service)
    await askForCode(ann)
    await askForCode(ben)
    const annsCode = await service.mail.codeFor(ann.email)
    const bensCode = await service.mail.codeFor(ben.email)
    const password = 'a new long password'

    const forBen = await ben.post(VERIFY, { email: ben.email, otp: annsCode })
    const forReset = await ann.post(RESET, { email: ann.email, otp: annsCode, password })
    await ben.post(REQUEST_RESET, { email: ben.email })
    const bensReset = await service.mail.codeFor(ben.email)
    const forVerifying = await ben.post(VERIFY, { email: ben.email, otp: bensReset })

    if (annsCode !== bensCode) assert.equal(forBen.body.code, 'INVALID_OTP')
    assert.equal(forReset.body.code, 'INVALID_OTP')
    if (bensReset !== bensCode) assert.equal(forVerifying.body.code, 'INVALID_OTP')
  })

  it('type sign-in is refused with the code of the sign-in path, and sends nothing', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)

    const answer = await ann.post(SEND, { email: ann.email, type: 'sign-in' })

    assert.deepEqual([answer.status, answer.body.code], [400, 'EMAIL_OTP_SIGN_IN_DISABLED'])
    assert.equal((await service.mail.all()).length, 0)
  })

  it('codes are stored only as keyed hashes', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await askForCode(ann)
    const queued = await service.platform.meta.selectFrom('mail_queue').selectAll().execute()
    const otp = await service.mail.codeFor(ann.email)

    const codes = await service.platform.meta.selectFrom('verification').selectAll().execute()

    assert.equal(codes.length, 1)
    assert.ok(!JSON.stringify(codes).includes(otp))
    assert.ok(!JSON.stringify(queued).includes(otp))
    assert.ok(!JSON.stringify(queued).includes(ann.email))
  })
})

describe('a new password by code', () => {
  it('ends every session; the new password works and the old one does not', async () => {
    await using service = await serviceWithMail()
    const { ann, ben } = await people(service)
    await ann.post(REQUEST_RESET, { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)

    const reset = await stranger(service).post(RESET, { email: ann.email, otp, password: 'a brand new one' })

    assert.deepEqual([reset.status, reset.body], [200, { success: true }])
    assert.equal((await ann.get('/api/auth/get-session')).body, null)
    assert.equal((await ben.get('/api/auth/get-session')).body.user.email, ben.email)
    assert.equal((await ann.signIn()).status, 401)
    assert.equal((await new Person(service, ann.email, 'a brand new one').signIn()).status, 200)
    const again = await ann.post(RESET, { email: ann.email, otp, password: 'yet another one' })
    assert.equal(again.body.code, 'INVALID_OTP')
  })

  it('verifies the address: a user who has read the code from the mail is not asked for a second one', async () => {
    await using service = await serviceWithMail()
    await changeSettings(service, 'authentication', { email_verification_required: true })
    const carl = stranger(service)
    await carl.signUp()
    await carl.post(REQUEST_RESET, { email: carl.email })
    const otp = await service.mail.codeFor(carl.email)

    await carl.post(RESET, { email: carl.email, otp, password: 'a brand new one' })

    assert.equal((await new Person(service, carl.email, 'a brand new one').signIn()).status, 200)
  })

  it('a weak password is refused and spends no attempt', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await ann.post(REQUEST_RESET, { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)

    for (const password of ['short', 'password1', 'short', 'x'.repeat(2000)]) {
      assert.equal((await ann.post(RESET, { email: ann.email, otp, password })).status, 400)
    }

    assert.equal((await ann.post(RESET, { email: ann.email, otp, password: 'a brand new one' })).status, 200)
  })

  it('of twenty guesses at once three are checked', async () => {
    await using service = await serviceWithMail()
    const { ann } = await people(service)
    await ann.post(REQUEST_RESET, { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)

    const reset = (guess: string) =>
      ann.post(RESET, { email: ann.email, otp: guess, password: 'a brand new one' })
    const answers = await Promise.all(wrongCodes(otp, 20).map(reset))

    assert.equal(answers.filter(({ body }) => body.code === 'INVALID_OTP').length, 3)
    assert.equal((await reset(otp)).body.code, 'TOO_MANY_ATTEMPTS')
    assert.equal((await ann.signIn()).status, 200)
  })
})

function askForCode(person: Person) {
  return person.post(SEND, { email: person.email, type: 'email-verification' })
}

function wrongCodes(right: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => String((Number(right) + i + 1) % 1_000_000).padStart(6, '0'))
}
