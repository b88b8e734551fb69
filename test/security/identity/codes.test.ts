import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { type Person, people, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { NO_COOLDOWN, serviceWithMail } from '../../service/with-mail.ts'
import { sendTo, wrong } from '../support/codes.ts'

const SEND = '/api/auth/email-otp/send-verification-otp'

const VERIFY = '/api/auth/email-otp/verify-email'

const REQUEST_RESET = '/api/auth/email-otp/request-password-reset'

const RESET = '/api/auth/email-otp/reset-password'

async function newCode(service: Service, { email }: Person): Promise<string> {
  await stranger(service).post(SEND, { email, type: 'email-verification' })
  return service.mail.codeFor(email)
}

function verify(service: Service, { email }: Person, otp: string) {
  return stranger(service).post(VERIFY, { email, otp })
}

describe('21. a code for type sign-in', () => {
  it('is refused with the code of the sign-in path, and no mail is sent', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { ann } = await people(service)

    const { status, body } = await ann.post(SEND, { email: ann.email, type: 'sign-in' })

    assert.deepEqual([status, body.code], [400, 'EMAIL_OTP_SIGN_IN_DISABLED'])
    assert.deepEqual(await service.mail.all(), [])
  })
})

describe('22. the right code', () => {
  it('fails after three wrong ones', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { ann } = await people(service)
    const otp = await newCode(service, ann)
    for (const guess of wrong(otp, 3)) await verify(service, ann, guess)

    assert.equal((await verify(service, ann, otp)).body.code, 'TOO_MANY_ATTEMPTS')
  })

  it('fails after 300 s, and after one success', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { ann, ben } = await people(service)
    const [late, used] = [await newCode(service, ann), await newCode(service, ben)]

    const first = await verify(service, ben, used)
    const second = await verify(service, ben, used)
    service.clock.advance({ seconds: 300 })

    assert.deepEqual([first.status, second.status], [200, 400])
    assert.equal((await verify(service, ann, late)).body.code, 'OTP_EXPIRED')
  })
})

describe('23. twenty guesses at once', () => {
  it('count as at most three, over two processes', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { ann } = await people(service)
    const otp = await newCode(service, ann)
    const guesses = wrong(otp, 20)

    const answers = await Promise.all(
      guesses.map((guess, i) => sendTo(service, i % 2, VERIFY, { email: ann.email, otp: guess })),
    )

    const codes = answers.map(({ code }) => code)
    assert.equal(codes.filter((code) => code === 'INVALID_OTP').length, 3)
    assert.equal(codes.filter((code) => code === 'TOO_MANY_ATTEMPTS').length, 17)
  })
})

describe('24. new codes', () => {
  it('void the old one', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { ann } = await people(service)
    const old = await newCode(service, ann)
    const fresh = await newCode(service, ann)

    assert.equal((await verify(service, ann, old === fresh ? 'never' : old)).status, 400)
    assert.equal((await verify(service, ann, fresh)).status, 200)
  })

  it('do not give unlimited guesses: a cap for each address holds over the day', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { ann, ben } = await people(service)
    let compared = 0
    for (let round = 0; round < 40; round += 1) {
      const otp = await newCode(service, ann)
      const answers = await Promise.all(wrong(otp, 3).map((guess) => verify(service, ann, guess)))
      compared += answers.filter(({ body }) => body.code === 'INVALID_OTP').length
    }

    assert.equal(compared, 15)
    assert.equal((await verify(service, ben, await newCode(service, ben))).status, 200)
  })
})

describe('24. a new account at the same address', () => {
  it('gives no new guesses: the wrong codes of the day outlive the one that was deleted', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    let compared = 0

    for (let account = 0; account < 5; account += 1) compared += await guessWithNewAccount(service)

    assert.equal(compared, 60)
  })
})

/** With more wrong codes than one browser has guesses. Returns how many were compared. */
async function guessWithNewAccount(service: Service): Promise<number> {
  const carl = stranger(service)
  assert.equal((await carl.signUp()).status, 200)
  let compared = 0
  for (let letter = 0; letter < 6; letter += 1) {
    for (const otp of wrong(await newCode(service, carl), 3)) {
      const { body } = await carl.post(VERIFY, { email: carl.email, otp })
      if (body.code === 'INVALID_OTP') compared += 1
    }
  }
  const deletion = await carl.post('/api/auth/delete-user', { password: carl.password })
  assert.equal(deletion.status, 200)
  return compared
}

describe('25. a code', () => {
  it('for one purpose or address serves no other', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { ann, ben } = await people(service)
    const toVerify = await newCode(service, ann)
    const password = 'another long password'

    const asReset = await ann.post(RESET, { email: ann.email, otp: toVerify, password })
    const asBen = await verify(service, ben, toVerify)
    await ann.post(REQUEST_RESET, { email: ann.email })
    const toReset = await service.mail.codeFor(ann.email)
    const asVerification = await verify(service, ann, toReset === toVerify ? 'never' : toReset)

    for (const { status } of [asReset, asBen, asVerification]) assert.equal(status, 400)
    assert.equal((await ann.signIn()).status, 200)
  })
})
