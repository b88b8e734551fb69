import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../service/answers.ts'
import { it as base } from '../../service/it.ts'
import { proveAddress, resetByCode } from '../../service/mailed.ts'
import { from } from '../../service/new-browser.ts'
import { Person, stranger } from '../../service/people.ts'
import type { Options, Service } from '../../service/service.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { atOnce, REQUEST_RESET, REQUESTS, reset, wrong } from '../support/codes.ts'

const it = base.extend<{
  options: Options
  settings: typeof WITH_MAIL & { authentication: { email_user_action_cooldown_seconds: number } }
}>({
  options: { env: { TRUSTED_PROXIES: '127.0.0.0/8' } },
  settings: { ...WITH_MAIL, authentication: NO_COOLDOWN },
})

const NEW_PASSWORD = 'a quieter walk in the snow'
const LAST = /This is the last email of this kind/
const ZH_LAST = /这是该邮箱今天收到的最后一封此类邮件/

async function textsTo({ mail }: Service, { email }: Person): Promise<string[]> {
  return (await mail.sentTo(email)).map(({ text }) => text)
}

describe('the letters of a day', () => {
  for (const [path, extra] of REQUESTS) {
    it(`at ${path} are twelve, also of twenty at once in two processes`, async ({ service, ann }) => {
      const bodies = Array.from({ length: 20 }, () => ({ email: ann.email, ...extra }))

      const answers = await atOnce(service, path, bodies)

      const texts = await textsTo(service, ann)
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
      assert.equal(texts.length, 12)
      assert.equal(texts.filter((text) => LAST.test(text)).length, 1)
    })
  }

  it('of each kind, of each address and of each day are counted apart', async ({ service, ann, ben }) => {
    const ask = async (times: number) => {
      for (let i = 0; i < times; i++) await ann.post(REQUEST_RESET, { email: ann.email })
    }
    await ask(13)
    for (const [path, extra] of REQUESTS) {
      await ann.post(path, { email: ben.email, ...extra })
      await ann.post(path, { email: ann.email, ...extra })
    }
    const today = [(await textsTo(service, ann)).length, (await textsTo(service, ben)).length]
    service.clock.advance({ days: 1 })
    await ask(1)

    assert.deepEqual(today, [13, 2])
    assert.equal((await textsTo(service, ann)).length, 14)
  })

  it('end with one whose link is valid until the next day, in the reader’s language', async ({ service, ann }) => {
    for (let i = 0; i < 12; i++) {
      await ann.post(REQUEST_RESET, { email: ann.email }, { 'accept-language': 'zh' })
    }
    const last = (await textsTo(service, ann)).filter((text) => ZH_LAST.test(text))
    const [link = ''] = /ghl_[\w-]+/.exec(last.join()) ?? []
    const [code = ''] = /\b\d{6}\b/.exec(last.join()) ?? []
    service.clock.advance({ milliseconds: 86_400_000 - (service.clock.now() % 86_400_000) - 1 })

    assert.equal(last.length, 1)
    assertRefused(await reset(ann, code, NEW_PASSWORD), 'OTP_EXPIRED')
    assert.equal((await reset(ann, link, NEW_PASSWORD)).status, 200)
    assertRefused(await reset(ann, link, NEW_PASSWORD), 'INVALID_OTP')
  })

  it('are refused to the administrator in words, and nothing is recorded', async ({ service, administrator, ann }) => {
    const invited = new Person(service, 'carl@example.com', '')
    for (let i = 0; i < 12; i++) {
      await ann.post(REQUEST_RESET, { email: ann.email })
      const { status } = await administrator.post('/api/admin/invite_user', { email: invited.email })
      assert.equal(status, 200)
    }

    const answers = [
      await administrator.post('/api/admin/send_password_reset', { id: ann.id }),
      await administrator.post('/api/admin/invite_user', { email: invited.email }),
    ]

    for (const answer of answers) {
      assertRefused(answer, 'TOO_MANY_LETTERS')
      assert.equal(answer.headers.get('retry-after'), String(12 * 3600))
      assert.match(answer.body.message, /12 of these emails today/)
    }
    assert.deepEqual([(await textsTo(service, ann)).length, (await textsTo(service, invited)).length], [12, 12])
    const { body } = await administrator.post('/api/admin/list_audit_entries', { action: 'user.send_reset' })
    assert.equal(body.total, 0)
  })
})

describe('105. an address that gets its account later', () => {
  it('can be proven and chosen a password for on the same day, whatever strangers asked before', async ({
    service,
    administrator,
  }) => {
    await administrator.saveSettings('authentication', { email_verification_required: true })
    const carl = stranger(service)
    const dora = new Person(service, 'dora@example.com', NEW_PASSWORD)
    for (const { email } of [carl, dora]) {
      for (const [path, extra] of REQUESTS) {
        for (let i = 0; i < 13; i++) await stranger(service).post(path, { email, ...extra }, from(`203.0.113.${i}`))
      }
    }
    assert.deepEqual(await service.mail.all(), [])

    await carl.signUp()
    await administrator.post('/api/admin/create_user', { email: dora.email })
    const proven = await proveAddress(service, carl, carl)
    const chosen = await resetByCode(service, dora)

    assert.deepEqual(statuses([proven, chosen, await carl.signIn(), await dora.signIn()]), [200, 200, 200, 200])
    assert.equal((await textsTo(service, carl)).length, 1)
  })
})

describe('105. an hour of a stranger', () => {
  it.override('settings', { ...WITH_MAIL, authentication: { email_user_action_cooldown_seconds: 60 } })

  for (const [minute, way] of [
    [5, 'codeFor'],
    [59, 'linkFor'],
  ] as const) {
    it(`leaves the owner a way back in minute ${minute}, and a bounded mailbox`, async ({ service, ann }) => {
      const owner = new Person(service, ann.email, NEW_PASSWORD)
      const home = from('198.51.100.1')
      const askAndGuess = async (at: number) => {
        await owner.post(REQUEST_RESET, { email: owner.email }, from(`203.0.113.${at}`))
        for (let network = 0; network < 8; network++) {
          for (const guess of wrong('000000', 4)) {
            await reset(owner, guess, NEW_PASSWORD, from(`192.0.${at}.${network}`))
          }
        }
      }
      const harassFor = async (from: number, to: number) => {
        for (let at = from; at < to; at++) {
          await askAndGuess(at)
          await service.mail.all()
          service.clock.advance({ minutes: 1 })
        }
      }
      await harassFor(0, minute)

      const asked = await owner.post(REQUEST_RESET, { email: owner.email }, home)
      const sent = await service.mail[way](owner.email)
      await harassFor(minute, minute + 4)
      const letters = await textsTo(service, owner)
      const recovered = await reset(owner, sent, NEW_PASSWORD, home)

      assert.equal(asked.status, 200)
      // The stranger was refused in the owner's minute.
      assert.equal(letters.length, Math.min(minute + 4, 12))
      assert.equal(recovered.status, 200)
      assert.equal((await owner.signIn()).status, 200)
    })
  }

  it('who is in the owner’s network too, and always asks first, leaves the newest letter and the way in', async ({
    service,
    ann,
  }) => {
    const owner = new Person(service, ann.email, NEW_PASSWORD)
    const others = stranger(service)
    const home = from('198.51.100.1')
    const guessPasswords = async () => {
      for (let i = 0; i < 110; i++) {
        const { email } = owner
        const place = from(i < 6 ? `198.51.100.${i + 2}` : `192.0.${i}.1`)
        await stranger(service).post('/api/auth/sign-in/email', { email, password: `guess ${i}` }, place)
      }
    }
    const exhaustHome = async () => {
      for (let i = 0; i < 100; i++) await reset(others, '000000', NEW_PASSWORD, home)
      for (let i = 0; i < 60; i++) await others.post(REQUEST_RESET, { email: `${i}@example.com` }, home)
    }
    for (let minute = 0; minute < 60; minute += 4) {
      await owner.post(REQUEST_RESET, { email: owner.email }, from(`203.0.113.${minute}`))
      for (const guess of wrong('000000', 4)) await reset(owner, guess, NEW_PASSWORD, home)
      await service.mail.all()
      service.clock.advance({ minutes: 4 })
    }
    await guessPasswords()
    await exhaustHome()
    await owner.post(REQUEST_RESET, { email: owner.email }, from('203.0.113.200'))

    const asked = await owner.post(REQUEST_RESET, { email: owner.email }, home)
    const recovered = await reset(owner, await service.mail.linkFor(owner.email), NEW_PASSWORD, home)
    await guessPasswords()
    const signedIn = await owner.signIn(home)

    assertRefused(asked, 'RATE_LIMITED')
    assert.deepEqual(statuses([recovered, signedIn]), [200, 200])
  })
})
