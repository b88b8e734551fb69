import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { itWith } from '../../service/it.ts'
import { Person, stranger } from '../../service/people.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { atOnce, codeFor, RESET, reset, resetCodeFor, SEND, VERIFY, verify, wrong } from '../support/codes.ts'

const GET_SESSION = '/api/auth/get-session'
const NEW_PASSWORD = 'another long password'

const it = itWith({ ...WITH_MAIL, authentication: NO_COOLDOWN })

describe('a code from a mail', () => {
  it('verifies the address, and never signs in', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_verification_required: true })
    const carl = stranger(service)
    await carl.signUp()

    const { status, body, headers } = await verify(carl, await codeFor(service, carl))

    assert.deepEqual([status, body.status, body.token, body.user.emailVerified], [200, true, null, true])
    assert.equal(headers.get('set-auth-token'), null)
    assert.equal((await carl.get(GET_SESSION)).body, null)
    assert.equal((await carl.signIn()).status, 200)
  })

  it('is stored only as a keyed hash', async ({ service, ann }) => {
    await ann.post(SEND, { email: ann.email, type: 'email-verification' })
    const queued = await service.platform.meta.selectFrom('letter_queue').selectAll().execute()
    const otp = await service.mail.codeFor(ann.email)
    const codes = await service.platform.meta.selectFrom('mailed_code').selectAll().execute()

    assert.equal(codes.length, 1)
    for (const secret of [otp, ann.email]) assert.ok(!JSON.stringify(queued).includes(secret))
    assert.ok(!JSON.stringify(codes).includes(otp))
  })

  it('verifies with a new password too, and a weak password spends no attempt', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_verification_required: true })
    const carl = stranger(service)
    await carl.signUp()
    const otp = await resetCodeFor(service, carl)

    for (const password of ['short', 'password1', 'short', 'x'.repeat(2000)])
      assert.equal((await reset(carl, otp, password)).status, 400)
    assert.equal((await reset(carl, otp, NEW_PASSWORD)).status, 200)

    assert.equal((await new Person(service, carl.email, NEW_PASSWORD).signIn()).status, 200)
  })
})

describe('21. a code for type sign-in', () => {
  it('is refused with the code of the sign-in path, and no mail is sent', async ({ service, ann }) => {
    const answer = await ann.post(SEND, { email: ann.email, type: 'sign-in' })

    assertRefused(answer, 'EMAIL_OTP_SIGN_IN_DISABLED')
    assert.deepEqual(await service.mail.all(), [])
  })
})

describe('22. the right code', () => {
  it('passes after two wrong ones, fails after three', async ({ service, ann, ben }) => {
    const [anns, bens] = [await codeFor(service, ann), await codeFor(service, ben)]
    for (const guess of wrong(anns, 2)) assertRefused(await verify(ann, guess), 'INVALID_OTP')
    for (const guess of wrong(bens, 3)) assertRefused(await verify(ben, guess), 'INVALID_OTP')

    assert.equal((await verify(ann, anns)).status, 200)
    assertRefused(await verify(ben, bens), 'TOO_MANY_ATTEMPTS')
  })

  it('passes for 300 s, and once, also of twenty at once', async ({ service, ann, ben }) => {
    const [used, late] = [await codeFor(service, ann), await codeFor(service, ben)]
    service.clock.advance({ seconds: 299, milliseconds: 999 })

    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(ann, used)))
    const again = await verify(ann, used)
    service.clock.advance({ milliseconds: 1 })

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assertRefused(again, 'INVALID_OTP')
    assertRefused(await verify(ben, late), 'OTP_EXPIRED')
  })
})

describe('23. twenty guesses at once', () => {
  for (const [path, newCode] of [
    [VERIFY, codeFor],
    [RESET, resetCodeFor],
  ] as const) {
    for (const guesser of ['strangers', 'a browser of the account'] as const) {
      it(`of ${guesser} count as three at ${path}, over two processes`, async ({ service, ann }) => {
        const otp = await newCode(service, ann)
        const bodies = [...wrong(otp, 20), otp].map((guess) => ({
          email: ann.email,
          otp: guess,
          password: NEW_PASSWORD,
        }))
        const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const headers = guesser === 'strangers' ? {} : { cookie }

        const answers = await atOnce(service, path, bodies.slice(0, -1), headers)
        const right = await atOnce(service, path, bodies.slice(-1), headers)

        const count = (code: string) => answers.filter(({ body }) => body.code === code).length
        assert.deepEqual([count('INVALID_OTP'), count('TOO_MANY_ATTEMPTS')], [3, 17])
        assert.equal(right[0]?.body.code, 'TOO_MANY_ATTEMPTS')
        assert.equal((await ann.signIn()).status, 200)
      })
    }
  }
})

describe('24. new codes', () => {
  it('checklist 105: leave the earlier ones valid until they expire, and end with the one that is used', async ({
    service,
    ann,
    ben,
  }) => {
    const old = await codeFor(service, ann)
    const older = await codeFor(service, ben)
    service.clock.advance({ minutes: 4 })
    const fresh = await codeFor(service, ann)
    await codeFor(service, ben)
    const anns = await verify(ann, old)
    service.clock.advance({ minutes: 1 })

    assert.equal(anns.status, 200)
    assertRefused(await verify(ann, fresh), 'INVALID_OTP')
    assertRefused(await verify(ben, older), 'INVALID_OTP')
  })

  it('give no more guesses while an earlier one is outstanding, over all purposes', async ({ service, ann }) => {
    const first = await codeFor(service, ann)
    for (const guess of wrong(first, 2)) assertRefused(await verify(ann, guess), 'INVALID_OTP')
    service.clock.advance({ minutes: 3 })
    const second = await resetCodeFor(service, ann)

    assertRefused(await reset(ann, wrong(second, 1).join()), 'INVALID_OTP')
    assertRefused(await reset(ann, second), 'TOO_MANY_ATTEMPTS')
    assertRefused(await verify(ann, first), 'TOO_MANY_ATTEMPTS')
    service.clock.advance({ minutes: 5 })
    assert.equal((await verify(ann, await codeFor(service, ann))).status, 200)
  })

  for (const guesser of ['a stranger', 'a browser of the account'] as const) {
    it(`do not give ${guesser} more guesses on that day`, async ({ service, ann, ben }) => {
      const browser = guesser === 'a stranger' ? stranger(service, ann.email) : ann
      let compared = 0
      for (let round = 0; round < 7; round += 1) {
        const guesses = wrong(await codeFor(service, ann), 3)
        const answers = await Promise.all(guesses.map((guess) => verify(browser, guess)))
        compared += answers.filter(({ body }) => body.code === 'INVALID_OTP').length
        service.clock.advance({ minutes: 5 })
      }

      assert.equal(compared, 15)
      assertRefused(await verify(browser, await codeFor(service, ann)), 'TOO_MANY_ATTEMPTS')
      assert.equal((await verify(ben, await codeFor(service, ben))).status, 200)
      service.clock.advance({ days: 1 })
      assert.equal((await verify(browser, await codeFor(service, ann))).status, 200)
    })
  }
})

describe('24. a new account at the same address', () => {
  it('gives no new guesses and no new letters: those of the day outlive the former', async ({ service }) => {
    const guesser = stranger(service)
    let compared = 0

    for (let account = 0; account < 12; account += 1) {
      const carl = stranger(service)
      assert.equal((await carl.signUp()).status, 200)
      for (const otp of wrong(await codeFor(service, carl), 2))
        if ((await verify(guesser, otp)).body.code === 'INVALID_OTP') compared += 1
      assert.equal((await carl.post('/api/auth/delete-user', { password: carl.password })).status, 200)
    }
    await guesser.signUp()
    await codeFor(service, guesser)

    assert.equal(compared, 3)
    assert.equal((await service.mail.sentTo(guesser.email)).filter(hasCode).length, 12)
  })
})

const hasCode = ({ text }: { readonly text: string }) => /^ +\d{6}$/m.test(text)

describe('25. a code', () => {
  it('for one purpose or address serves no other', async ({ service, ann, ben }) => {
    const toVerify = await codeFor(service, ann)
    const bens = await codeFor(service, ben)

    const asReset = await reset(ann, toVerify)
    const asBen = await verify(ben, toVerify === bens ? '' : toVerify)
    const toReset = await resetCodeFor(service, ann)
    const asVerification = await verify(ann, toReset === toVerify ? '' : toReset)

    for (const answer of [asReset, asBen, asVerification]) assertRefused(answer, 'INVALID_OTP')
    assert.equal((await ann.signIn()).status, 200)
  })
})
