import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'
import { type Person, people, stranger } from '../../../../test/service/people.ts'
import { pngOf } from '../../../../test/service/pictures.ts'
import type { Service } from '../../../../test/service/service.ts'
import { NO_COOLDOWN, serviceWithMail, WITH_MAIL } from '../../../../test/service/with-mail.ts'
import { type MailMessage, MailNotSent, type MailRoute } from '../../../platform/mail/mail.ts'
import { OWN_COLOURS } from '../../ground/settings/brand/look/palette.ts'
import { stackOf } from '../../ground/settings/brand/look/sheet.ts'
import { mailJob } from './queue.ts'
import { writeLetter } from './texts/layout.ts'

const AT_ONCE = 5

describe('the mail queue', () => {
  it.override('settings', { ...WITH_MAIL, authentication: NO_COOLDOWN })

  describe('of an application with a name', () => {
    it.override('options', { env: { APP_NAME: 'Lighthouse', SYSTEM_EMAIL: 'help@example.org' } })

    it('sends from the administrator’s address and the application’s name', async ({ service, ann }) => {
      await askForReset(ann)

      const [mail] = await service.mail.sentTo(ann.email)
      const code = await service.mail.codeFor(ann.email)

      assert.deepEqual(mail?.from, { name: 'Lighthouse', address: 'help@example.org' })
      assert.match(mail?.subject ?? '', /Lighthouse/)
      assert.match(mail?.text ?? '', new RegExp(`^ {4}${code}$`, 'm'))
      assert.match(mail?.html ?? '', new RegExp(`<p class="code">${code}</p>`))
    })

    it('every letter names the address for questions', async ({ service, administrator, ann }) => {
      await askForReset(ann)
      await administrator.post('/api/admin/send_test_email', { to: 'ben@example.com' })

      const letters = await service.mail.all()

      assert.equal(letters.length, 2)
      for (const part of letters.flatMap(({ text, html }) => [text, html])) assert.match(part, /help@example\.org/)
    })
  })

  it('is processed once a mail is committed, not before', async () => {
    const waiting: Promise<number>[] = []
    const wake = (job: string) => {
      if (job === 'mail') waiting.push(queued(service))
    }
    await using service = await serviceWithMail({ platform: { background: { wake } } })
    const { ann } = await people(service)
    const change = { currentPassword: ann.password, newPassword: 'a quieter walk in the snow' }

    await askForReset(ann)
    await ann.post('/api/auth/change-password', change)

    assert.deepEqual(await Promise.all(waiting), [1, 2])
  })

  it('a mail is sent once although two processes run', async ({ service, ann, ben }) => {
    for (const person of [ann, ben]) await askForReset(person)
    const jobs = [mailJob(service.platform), mailJob({ ...service.platform })]

    await Promise.all([...jobs, ...jobs].map((job) => job.run()))

    assert.equal((await service.mail.all()).length, 2)
  })

  it('what the provider refuses is retried at growing intervals', async ({ service, ann }) => {
    await askForReset(ann)
    await refuseNow(service)

    const atOnce = await service.mail.sentTo(ann.email)
    service.clock.advance({ seconds: 2, milliseconds: -1 })
    const early = await service.mail.sentTo(ann.email)
    service.clock.advance({ milliseconds: 1 })
    const later = await service.mail.sentTo(ann.email)

    assert.deepEqual([atOnce.length, early.length, later.length], [0, 0, 1])
  })

  it('each attempt at one mail has the same id, for a provider that may have it already', async ({
    service,
    ann,
    ben,
  }) => {
    const attempts: (readonly [string, string | undefined])[] = []
    const send = async (_: MailRoute, { to, id }: MailMessage) => {
      attempts.push([to, id])
      if (attempts.length === 1) throw new MailNotSent('no answer in time', { mayHaveArrived: true })
    }
    const job = mailJob({ ...service.platform, mail: { providers: ['smtp'], smtpUrl: 'smtp://mail', send } })
    await askForReset(ann)

    await job.run()
    service.clock.advance({ seconds: 2 })
    await job.run()
    await askForReset(ben)
    await job.run()

    const [first, again, other] = attempts
    assert.ok(first?.[1])
    assert.deepEqual([again, other?.[0], attempts.length], [first, ben.email, 3])
    assert.notEqual(other?.[1], first[1])
  })

  it('a mail whose code has expired is dropped', async ({ service, ann }) => {
    await askForReset(ann)
    await refuseNow(service)
    service.clock.advance({ seconds: 300 })

    assert.equal((await service.mail.sentTo(ann.email)).length, 0)
    assert.equal(await queued(service), 0)
  })

  it('a mail whose code expires while others are sent is dropped', async ({ service, ann }) => {
    for (let i = 0; i < AT_ONCE + 1; i++) await askForReset(ann)
    let sent = 0
    const send = async () => {
      sent++
      if (sent === AT_ONCE) service.clock.advance({ seconds: 300 })
    }

    await mailJob({ ...service.platform, mail: { providers: ['smtp'], smtpUrl: 'smtp://mail', send } }).run()

    assert.equal(sent, AT_ONCE)
  })

  it('a provider that accepts nothing is shown with its message but no address, also after the mails have expired', async ({
    service,
    administrator,
    ann,
  }) => {
    await askForReset(ann)
    const since = service.clock.now()
    service.mail.refuse(`450 <${ann.email.toUpperCase()}>: ${ann.email} comes back later`)
    await service.runJob('mail')
    service.clock.advance({ hours: 8 })
    await service.runJob('mail')

    const afterHours = await troubleShown(administrator)
    await administrator.post('/api/auth/confirm', { password: administrator.password })
    await administrator.saveSettings('email', { provider: null })
    const withoutProvider = await troubleShown(administrator)
    await administrator.saveSettings('email', { provider: 'smtp' })
    service.mail.refuse(undefined)
    await askForReset(ann)
    await service.runJob('mail')

    assert.deepEqual(afterHours, { since, reason: '450 <…>: … comes back later' })
    assert.deepEqual([withoutProvider, await troubleShown(administrator)], [null, null])
  })

  it('a provider that accepts nothing is shown for a week', async ({ service, administrator, ann }) => {
    await askForReset(ann)
    await refuseNow(service)
    service.clock.advance({ days: 7, milliseconds: -1 })
    const last = await troubleShown(administrator)
    service.clock.advance({ milliseconds: 1 })

    assert.deepEqual([last?.reason, await troubleShown(administrator)], ['450 come back later', null])
  })

  it('whatever a provider says in its refusal, the mail is sent once it accepts it', async ({
    service,
    administrator,
    ann,
  }) => {
    await askForReset(ann)
    await refuseNow(service, `no \0 \ud800 ${'x'.repeat(100_000)}`)
    const { reason } = await troubleShown(administrator)
    service.clock.advance({ seconds: 2 })

    await service.runJob('mail')

    assert.match(reason, /^no \ufffd \ufffd x{493}$/)
    assert.match(await service.mail.codeFor(ann.email), /^\d{6}$/)
  })

  it('a mail that cannot be opened delays no other, and a provider that accepts one of two, or a test, is not shown as failing', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    await askForReset(ann)
    await service.platform.meta.updateTable('letter_queue').set({ sealed: 'nonsense' }).execute()
    await askForReset(ben)
    await service.runJob('mail')
    const withOneTaken = await troubleShown(administrator)

    service.clock.advance({ seconds: 2 })
    await service.runJob('mail')
    const { reason } = await troubleShown(administrator)
    await administrator.post('/api/admin/send_test_email', { to: 'ben@example.com' })

    assert.match(reason, /./)
    assert.deepEqual([withOneTaken, await troubleShown(administrator)], [null, null])
    assert.equal((await service.mail.sentTo(ben.email)).length, 2)
    assert.ok(service.log.lines.some(({ message }) => message === 'a mail was not accepted'))
  })

  it('a provider that is down is logged once, and again when it works', async ({ service, ann, ben }) => {
    service.mail.refuse('connect ECONNREFUSED')
    await askForReset(ann)
    await askForReset(ben)
    await service.runJob('mail')
    service.clock.advance({ seconds: 2 })
    await service.runJob('mail')

    service.mail.refuse(undefined)
    service.clock.advance({ minutes: 1 })
    await service.runJob('mail')

    const lines = service.log.lines.filter(({ level, message }) => level !== 'debug' && /mail.* accepted/.test(message))
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [
        ['warn', 'a mail was not accepted'],
        ['info', 'mails are accepted again'],
      ],
    )
  })

  it('a process that stops while sending leaves the mail to another', async ({ service, ann }) => {
    await askForReset(ann)
    const claimed_until = service.clock.now() + 60_000
    await service.platform.meta.updateTable('letter_queue').set({ claimed_until }).execute()

    const claimed = await service.mail.sentTo(ann.email)
    service.clock.advance({ seconds: 60 })
    const free = await service.mail.sentTo(ann.email)

    assert.deepEqual([claimed.length, free.length], [0, 1])
  })

  it('a process that ends begins no further mail', async ({ service, ann }) => {
    await askForReset(ann)

    await mailJob({ ...service.platform, ending: AbortSignal.abort() }).run()

    assert.equal(await queued(service), 1)
    assert.equal((await service.mail.sentTo(ann.email)).length, 1)
  })

  for (const [what, fields, keys] of [
    ['with a new key', { api_key: { action: 'replace', value: 'the new key' } }, ['the new key']],
    ['without a provider', { provider: null }, []],
  ] as const) {
    it(`settings that another process saves ${what} while mails are sent decide about the next ones`, async ({
      service,
      administrator,
      ann,
    }) => {
      const key = { action: 'replace', value: 'the former key' }
      await administrator.saveSettings('email', { provider: 'api', api_key: key })
      for (let i = 0; i < AT_ONCE + 1; i++) await askForReset(ann)
      const used: string[] = []
      const send = async (route: MailRoute) => {
        used.push(route.provider === 'api' ? route.apiKey : route.provider)
        if (used.length === AT_ONCE) await administrator.saveSettings('email', fields)
      }

      await mailJob({ ...service.platform, mail: { providers: ['api'], send } }).run()

      assert.deepEqual(used, [...Array(AT_ONCE).fill('the former key'), ...keys])
    })
  }
})

async function queued({ platform }: Service): Promise<number> {
  return (await platform.meta.primary.selectFrom('letter_queue').select('id').execute()).length
}

async function troubleShown(administrator: Person) {
  return (await administrator.post('/api/admin/get_overview')).body.mail_trouble
}

/** Lets the provider refuse each waiting mail once. */
async function refuseNow(service: Service, words = '450 come back later'): Promise<void> {
  service.mail.refuse(words)
  await service.runJob('mail')
  service.mail.refuse(undefined)
}

describe('a full queue', () => {
  it.override('settings', WITH_MAIL)

  it('is 503, and gives the cooldown back', async ({ service, ann }) => {
    await askForReset(ann)
    const { meta } = service.platform
    const first = await meta.selectFrom('letter_queue').selectAll().executeTakeFirstOrThrow()
    const rows = Array.from({ length: 9_999 }, (_, i) => ({ ...first, id: `full-${i}` }))
    for (let i = 0; i < rows.length; i += 500) {
      const some = rows.slice(i, i + 500)
      await meta.insertInto('letter_queue').values(some).execute()
    }
    service.clock.advance({ seconds: 61 })

    const last = await askForReset(ann)
    service.clock.advance({ seconds: 61 })
    const full = await askForReset(ann)
    await meta.deleteFrom('letter_queue').where('id', 'like', 'full-%').execute()
    const free = await askForReset(ann)

    assertRefused(full, 'STORE_UNAVAILABLE')
    assert.deepEqual([last.status, free.status], [200, 200])
  })
})

describe('the language of a letter', () => {
  it.override('settings', { ...WITH_MAIL, authentication: NO_COOLDOWN })

  it('is the one chosen in the pages, else the browser’s, else the operator’s first', async ({
    service,
    administrator,
    ann,
  }) => {
    const ask = async (headers: Record<string, string>) => {
      await askForReset(stranger(service, ann.email), headers)
      // Sent before the next one is requested: letters that wait together are sent in any order.
      await service.mail.all()
    }

    await ask({ 'accept-language': 'de, zh-TW;q=0.8, en;q=0.7' })
    await ask({ 'accept-language': 'zh', cookie: 'language=en' })
    await administrator.saveSettings('brand', { languages: ['zh'], name: '门房', logo: png })
    await ask({ 'accept-language': 'en' })

    const letters = await service.mail.sentTo(ann.email)
    assert.deepEqual(
      letters.map(({ html }) => /<html lang="([^"]+)">/.exec(html)?.[1]),
      ['zh-CN', 'en', 'zh-CN'],
    )
    const last = letters.at(-1)
    assert.equal(last?.subject, '门房 密码重置验证码')
    assert.match(last?.text ?? '', /有问题？请写信至 admin@example\.com/)
    assert.match(last?.html ?? '', /<img src="http:\/\/localhost:5173\/api\/brand\/logo\?v=/)
  })
})

describe('the preview of a letter', () => {
  it('shows the line with the name of a tool, application, token or passkey', async ({ administrator }) => {
    for (const kind of [
      ...['tool connected', 'application connected', 'tool disconnected'],
      ...['token made', 'token revoked', 'passkey copied'],
    ])
      assert.match((await preview(administrator, { kind, language: 'en' })).body, /Name: \w/, kind)
  })

  it('shows what is typed and not saved yet, under a policy that runs nothing', async ({ administrator }) => {
    const typed = { kind: 'email-verification', language: 'zh', name: '<Acme>', accent: '#aa0000' }

    const { status, headers, body } = await preview(administrator, typed)

    assert.equal(status, 200)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
    assert.match(body, /&lt;Acme&gt; 验证码/)
    assert.match(body, /background: #aa0000/)
    const style = await administrator.post('/api/admin/preview_palette', { accent: '#aa0000' })
    assert.equal(style.body.palette.light.accent, '#aa0000')
    assert.match(style.body.sheet, /--accent:light-dark\(#aa0000,/)
  })
})

const png = { action: 'replace', value: pngOf(2, 2).toString('base64') }

describe('a letter', () => {
  const letter = writeLetter({
    appName: 'Fish & <Chips>',
    supportEmail: 'help@example.com',
    language: 'en',
    colours: OWN_COLOURS,
    font: stackOf('system'),
    radius: 8,
    logoUrl: undefined,
    subject: 'A code',
    paragraphs: ['Enter it.'],
    code: '123456',
    closing: 'Bye.',
  })

  it.for([
    ['shows the support address', 'Questions? Write to help@example.com', 'href="mailto:help@example.com"'],
    ['escapes what it is given', 'Fish & <Chips>', 'Fish &amp; &lt;Chips&gt;'],
    ['declares its language', '', '<html lang="en">'],
    ['supports dark mode', '', 'prefers-color-scheme: dark'],
    ['lets one click select its code', '', 'user-select: all'],
  ] as const)('%s', ([, inText, inHtml]) => {
    assert.ok(letter.text.includes(inText))
    assert.ok(letter.html.includes(inHtml))
  })
})

function preview(administrator: Person, letter: Readonly<Record<string, string>>) {
  return administrator.get(`/api/admin/preview_letter?${new URLSearchParams(letter)}`)
}

function askForReset(person: Person, headers: Readonly<Record<string, string>> = {}) {
  return person.post('/api/auth/email-otp/request-password-reset', { email: person.email }, headers)
}
