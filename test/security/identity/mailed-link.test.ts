import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../service/answers.ts'
import { it as base } from '../../service/it.ts'
import { from, inNewBrowser } from '../../service/new-browser.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { REQUEST_RESET, reset, SEND, verify, wrong } from '../support/codes.ts'

const NEW_PASSWORD = 'a quieter walk in the snow'
const OWNER = from('198.51.100.1')
const STRANGER = from('203.0.113.66')

interface Fixtures {
  /** Ann, in a browser that has never signed in to the account. */
  readonly owner: Person
  /** Both the secret link and the code of a new mail to her. */
  readonly askForReset: () => Promise<{ readonly link: string; readonly code: string }>
}

const it = base
  .extend<Fixtures>({
    owner: async ({ service, ann }, use) => use(new Person(service, ann.email, NEW_PASSWORD)),
    askForReset: async ({ service, owner }, use) => {
      await use(async () => {
        await owner.post(REQUEST_RESET, { email: owner.email }, OWNER)
        const { mail } = service
        return { link: await mail.linkFor(owner.email), code: await mail.codeFor(owner.email) }
      })
    },
  })
  .extend({
    options: { env: { TRUSTED_PROXIES: '127.0.0.0/8' } },
    settings: { ...WITH_MAIL, authentication: NO_COOLDOWN },
  })

const resetFrom = (person: Person, otp: string, headers: Readonly<Record<string, string>>) =>
  reset(person, otp, NEW_PASSWORD, headers)

/** A browser in which `first` signed in before `next` did. */
async function sharedBrowser(service: Service, first: Person, next: Person): Promise<Person> {
  const shared = inNewBrowser(service, first)
  await shared.signIn()
  for (const [name, value] of shared.cookies) next.cookies.set(name, value)
  await next.signIn()
  for (const [name, value] of next.cookies) shared.cookies.set(name, value)
  return shared
}

describe('the mailed link', () => {
  it('resets with one request, once', async ({ owner, askForReset }) => {
    const { link } = await askForReset()

    assert.equal((await resetFrom(owner, link, OWNER)).status, 200)
    assertRefused(await resetFrom(owner, link, OWNER), 'INVALID_OTP')
    assert.equal((await owner.signIn()).status, 200)
  })

  it('verifies, and twenty at once are one success', async ({ service, ann }) => {
    await ann.post(SEND, { email: ann.email, type: 'email-verification' })
    const link = await service.mail.linkFor(ann.email)

    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(ann, link)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal((await ann.get('/api/auth/get-session')).body.user.emailVerified, true)
  })

  it('is valid as long and for as much as the code', async ({ service, ben, owner, askForReset }) => {
    const { link } = await askForReset()

    for (const answer of [await resetFrom(ben, link, OWNER), await verify(owner, link)])
      assertRefused(answer, 'INVALID_OTP')
    service.clock.advance({ minutes: 5 })
    assertRefused(await resetFrom(owner, link, OWNER), 'OTP_EXPIRED')
  })

  it('of an earlier letter works, and ends the later ones', async ({ owner, askForReset }) => {
    const { link: old } = await askForReset()
    const { link } = await askForReset()

    assert.equal((await resetFrom(owner, old, OWNER)).status, 200)
    assertRefused(await resetFrom(owner, link, OWNER), 'INVALID_OTP')
  })

  it('carries its secret in the fragment, not in a log', async ({ service, owner, askForReset }) => {
    const { link } = await askForReset()
    const [mail] = await service.mail.sentTo(owner.email)

    await resetFrom(owner, link, OWNER)

    const page = 'http://localhost:5173/reset#email=ann%40example.com&link='
    assert.ok(mail?.text.split('\n').includes(page + link))
    assert.match(link, /^ghl_[\w-]{43}$/)
    assert.match(mail?.html ?? '', /<a href="http:\/\/localhost:5173\/reset#email=/)
    assert.ok(!JSON.stringify(service.log.lines).includes(link))
  })
})

describe('checklist 72: wrong codes of a stranger', () => {
  it('never refuse the right code of another network', async ({ owner, askForReset }) => {
    for (let letter = 0; letter < 6; letter++) {
      const { code } = await askForReset()
      for (let i = 0; i < 4; i++) await resetFrom(owner, wrong(code, 1).join(), STRANGER)
    }
    const { code } = await askForReset()

    assertRefused(await resetFrom(owner, code, STRANGER), 'TOO_MANY_ATTEMPTS')
    assert.equal((await resetFrom(owner, code, OWNER)).status, 200)
  })

  for (const way of ['the link', 'the code in a browser of the account', 'the code where it was asked for']) {
    it(`from however many networks never refuse ${way}`, async ({ service, owner, ann, ben, askForReset }) => {
      const shared = await sharedBrowser(service, ann, ben)
      const { code: first } = await askForReset()
      for (let network = 0; network < 21; network++) {
        const sender = from(`203.0.113.${network}`)
        for (const guess of wrong(first, 3)) await resetFrom(owner, guess, sender)
      }
      const { link, code } = await askForReset()

      assertRefused(await resetFrom(owner, code, from('192.0.2.7')), 'TOO_MANY_ATTEMPTS')
      const [browser, otp] = way === 'the link' ? [owner, link] : [shared, code]
      const [person, sender] = way.endsWith('asked for') ? [owner, OWNER] : [browser, STRANGER]
      assert.equal((await resetFrom(person, otp, sender)).status, 200)
    })
  }

  it('are bounded over all networks and letters of a day, also at once', async ({ owner, askForReset }) => {
    let compared = 0
    for (let letter = 0; letter < 5; letter++) {
      const [guess = ''] = wrong((await askForReset()).code, 1)
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => resetFrom(owner, guess, from(`203.0.${letter}.${i % 5}`))),
      )
      compared += answers.filter(({ body }) => body.code === 'INVALID_OTP').length
    }

    assert.equal(compared, 60)
  })

  it('of many browsers with the password are bounded too', async ({ service, ann, owner, askForReset }) => {
    const { link, code } = await askForReset()
    let compared = 0
    for (let i = 0; i < 21; i++) {
      const browser = inNewBrowser(service, ann)
      const network = from(`203.0.113.${i}`)
      assert.equal((await browser.signIn(network)).status, 200)
      for (const otp of wrong(code, 3)) {
        const { body } = await resetFrom(browser, otp, network)
        if (body.code === 'INVALID_OTP') compared += 1
      }
    }

    assert.equal(compared, 60)
    assert.equal((await resetFrom(owner, link, OWNER)).status, 200)
  })

  it('at the largest count are refused without a fault', async ({ service, ann, owner, askForReset }) => {
    const { code } = await askForReset()
    const day = Math.floor(service.clock.now() / 86_400_000)
    const failures = { failures: 999_999, failures_on_code: 999_999, counts_until: Number.MAX_SAFE_INTEGER }
    await service.platform.meta
      .insertInto('code_guesses')
      .values({ email: owner.email, day, guesser: '203.0.113.66', code_id: '', ...failures })
      .execute()

    assertRefused(await resetFrom(owner, wrong(code, 1).join(), STRANGER), 'TOO_MANY_ATTEMPTS')
    assertRefused(await resetFrom(owner, code, STRANGER), 'TOO_MANY_ATTEMPTS')
    assert.equal((await ann.signIn()).status, 200)
  })
})

describe('a made-up address', () => {
  it('gets no code, with the same answer, and none is right for it', async ({ service }) => {
    const community = new Person(service, 'community-1@community.local', '')
    const nobody = new Person(service, 'nobody@example.com', '')

    const [asked, stranger] = [community, nobody].map(({ email }) => nobody.post(REQUEST_RESET, { email }))
    assert.deepEqual([(await asked)?.status, (await asked)?.body], [200, (await stranger)?.body])
    const rows = await service.platform.meta.selectFrom('mailed_code').select('email').execute()
    assert.deepEqual(rows, [{ email: nobody.email }])
    assertRefused(await reset(community, '000000'), 'INVALID_OTP')
  })
})
