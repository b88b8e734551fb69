import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { changeSettings } from '../../service/change-settings.ts'
import { from, inNewBrowser } from '../../service/new-browser.ts'
import { Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { wrong } from '../support/codes.ts'

const NEW_PASSWORD = 'a quieter walk in the snow'
const OWNER = { 'x-forwarded-for': '198.51.100.1' }
const STRANGER = { 'x-forwarded-for': '203.0.113.66' }

async function world() {
  const service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.0/8' } })
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
  const { ann } = await people(service)
  /** A browser that has never signed in to the account. */
  const owner = new Person(service, ann.email, NEW_PASSWORD)
  return { service, ann, owner, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

function askForReset(person: Person) {
  return person.post('/api/auth/email-otp/request-password-reset', { email: person.email }, OWNER)
}

function reset(person: Person, otp: string, headers: Readonly<Record<string, string>>) {
  const sent = { email: person.email, otp, password: NEW_PASSWORD }
  return person.post('/api/auth/email-otp/reset-password', sent, headers)
}

async function wrongCodes(
  service: Service,
  person: Person,
  count: number,
  headers: Readonly<Record<string, string>>,
) {
  const right = await service.mail.codeFor(person.email)
  const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0')
  for (let i = 0; i < count; i++) await reset(person, wrong, headers)
}

describe('the mailed link', () => {
  it('resets with one request, once', async () => {
    await using w = await world()
    await askForReset(w.owner)
    const link = await w.service.mail.linkFor(w.owner.email)

    const first = await reset(w.owner, link, OWNER)
    const second = await reset(w.owner, link, OWNER)

    assert.deepEqual([first.status, second.body.code], [200, 'INVALID_OTP'])
    assert.equal((await w.owner.signIn()).status, 200)
  })

  it('verifies, and twenty at once are one success', async () => {
    await using w = await world()
    const sent = { email: w.ann.email, type: 'email-verification' }
    await w.ann.post('/api/auth/email-otp/send-verification-otp', sent)
    const otp = await w.service.mail.linkFor(w.ann.email)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        w.ann.post('/api/auth/email-otp/verify-email', { email: w.ann.email, otp }),
      ),
    )

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal((await w.ann.get('/api/auth/get-session')).body.user.emailVerified, true)
  })

  it('is valid while the code is: not after five minutes or a new one, nor for another address or purpose', async () => {
    await using w = await world()
    await askForReset(w.owner)
    const old = await w.service.mail.linkFor(w.owner.email)
    await askForReset(w.owner)
    const link = await w.service.mail.linkFor(w.owner.email)

    const replaced = await reset(w.owner, old, OWNER)
    const foreign = await reset(new Person(w.service, 'ben@example.com', ''), link, OWNER)
    const verified = await w.owner.post('/api/auth/email-otp/verify-email', {
      email: w.owner.email,
      otp: link,
    })
    w.service.clock.advance({ minutes: 5 })
    const late = await reset(w.owner, link, OWNER)

    assert.deepEqual(
      [replaced, foreign, verified, late].map(({ body }) => body.code),
      ['INVALID_OTP', 'INVALID_OTP', 'INVALID_OTP', 'OTP_EXPIRED'],
    )
  })

  it('carries its secret in the fragment, which is in no request log', async () => {
    await using w = await world()
    await askForReset(w.owner)
    const [mail] = await w.service.mail.sentTo(w.owner.email)
    const link = await w.service.mail.linkFor(w.owner.email)

    await reset(w.owner, link, OWNER)

    assert.match(
      mail?.text ?? '',
      /^http:\/\/localhost:5173\/reset#email=ann%40example\.com&link=ghl_[\w-]{43}$/m,
    )
    assert.match(mail?.html ?? '', /<a href="http:\/\/localhost:5173\/reset#email=/)
    assert.ok(!JSON.stringify(w.service.log.lines).includes(link))
  })
})

describe('checklist 72: wrong codes of a stranger', () => {
  it('never refuse the right code of another network', async () => {
    await using w = await world()
    for (let letter = 0; letter < 6; letter++) {
      await askForReset(w.owner)
      await wrongCodes(w.service, w.owner, 4, STRANGER)
    }
    await askForReset(w.owner)

    const stranger = await reset(w.owner, await w.service.mail.codeFor(w.owner.email), STRANGER)
    const owner = await reset(w.owner, await w.service.mail.codeFor(w.owner.email), OWNER)

    assert.deepEqual([stranger.status, stranger.body.code], [403, 'TOO_MANY_ATTEMPTS'])
    assert.equal(owner.status, 200)
  })

  it('from however many networks never refuse the link, nor the code in a browser of the account', async () => {
    for (const way of ['link', 'code'] as const) {
      await using w = await world()
      await askForReset(w.owner)
      for (let network = 0; network < 25; network++) {
        await wrongCodes(w.service, w.owner, 3, { 'x-forwarded-for': `203.0.113.${network}` })
      }
      await askForReset(w.owner)
      const code = await w.service.mail.codeFor(w.owner.email)

      const unknown = await reset(w.owner, code, OWNER)
      const right =
        way === 'link'
          ? await reset(w.owner, await w.service.mail.linkFor(w.owner.email), STRANGER)
          : await reset(w.ann, code, STRANGER)

      assert.deepEqual([unknown.status, right.status], [403, 200])
    }
  })

  it('are bounded over all networks and letters of a day, also when they come at once', async () => {
    await using w = await world()
    let compared = 0
    for (let letter = 0; letter < 10; letter++) {
      await askForReset(w.owner)
      const right = await w.service.mail.codeFor(w.owner.email)
      const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0')
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          reset(w.owner, wrong, { 'x-forwarded-for': `203.0.${letter}.${i % 5}` }),
        ),
      )
      compared += answers.filter(({ body }) => body.code === 'INVALID_OTP').length
    }

    assert.equal(compared, 60)
  })

  it('of many browsers that signed in with the password are bounded too, and the link still works', async () => {
    await using w = await world()
    await askForReset(w.owner)
    let compared = 0
    for (let i = 0; i < 25; i++) {
      const browser = inNewBrowser(w.service, w.ann)
      const network = from(`203.0.113.${i}`)
      assert.equal((await browser.signIn(network)).status, 200)
      for (const otp of wrong(await w.service.mail.codeFor(w.owner.email), 3)) {
        const { body } = await reset(browser, otp, network)
        if (body.code === 'INVALID_OTP') compared += 1
      }
    }

    assert.equal(compared, 60)
    assert.equal((await reset(w.owner, await w.service.mail.linkFor(w.owner.email), OWNER)).status, 200)
  })

  it('at the largest count, the right code is refused as too many attempts, not as wrong', async () => {
    await using w = await world()
    await askForReset(w.owner)
    await w.service.platform.meta
      .insertInto('code_guesses')
      .values({
        email: w.owner.email,
        day: Math.floor(w.service.clock.now() / 86_400_000),
        guesser: '203.0.113.66',
        failures: 999_999,
        code_id: '',
        failures_on_code: 999_999,
      })
      .execute()

    await wrongCodes(w.service, w.owner, 1, STRANGER)

    assert.equal((await w.ann.signIn()).status, 200)
  })
})

describe('a made-up address', () => {
  it('gets no code: nothing is stored, nothing verifies or resets it, and the answer is as for a stranger', async () => {
    await using w = await world()
    const community = new Person(w.service, 'community-1@community.local', '')

    const asked = await askForReset(community)
    const stranger = await askForReset(new Person(w.service, 'nobody@example.com', ''))
    const rows = await w.service.platform.meta.selectFrom('verification').select('email').execute()
    const guessed = await reset(community, '000000', OWNER)

    assert.deepEqual([asked.status, asked.body], [stranger.status, stranger.body])
    assert.deepEqual(rows, [{ email: 'nobody@example.com' }])
    assert.equal(guessed.body.code, 'INVALID_OTP')
  })
})
