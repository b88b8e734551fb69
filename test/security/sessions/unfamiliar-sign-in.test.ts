import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { addApp, verifyTotp } from '../../service/devices/factors.ts'
import { grantFor } from '../../service/grants.ts'
import { resetByCode } from '../../service/mailed.ts'
import { from, inNewBrowser } from '../../service/new-browser.ts'
import { Person } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { it as inHouse, NEW_PASSWORD } from '../support/house.ts'

const HOME = from('198.51.100.9')
const AWAY = from('192.0.2.1')
const THIRD = from('203.0.113.5')
const SUBJECT = /^New sign-in to your account/
const SECURE = '/api/auth/secure-account'

const it = inHouse.extend({ more: { env: { TRUSTED_PROXIES: '127.0.0.0/8' } } })

async function told({ mail }: Service, { email }: Person) {
  return (await mail.sentTo(email)).filter(({ subject }) => SUBJECT.test(subject))
}

/** Ann, who signs in at home; then somebody with her password elsewhere. Returns the letter's token. */
async function reported(service: Service, ann: Person, thief: Person): Promise<string> {
  await ann.signIn(HOME)
  await thief.signIn(AWAY)
  const [letter] = await told(service, ann)
  return /\/secure#(\S+)/.exec(letter?.text ?? '')?.[1] ?? ''
}

const itChanging = it.extend({
  settings: { ...WITH_MAIL, authentication: { ...NO_COOLDOWN, email_changes: 'verified' } },
})

describe('a thief who changes the address', () => {
  itChanging('loses it with the letter about the sign-in', async ({ service, ann, browser }) => {
    const thief = browser()
    const token = await reported(service, ann, thief)
    const newEmail = 'thief@elsewhere.example'
    await thief.post('/api/auth/change-email', { newEmail }, AWAY)
    const otp = await service.mail.codeFor(newEmail)
    await thief.post('/api/auth/email-otp/verify-email', { email: newEmail, otp }, AWAY)

    const { body } = await browser().post(SECURE, { token })

    assert.deepEqual(body, { success: true, email: ann.email })
  })
})

describe('a sign-in', () => {
  it('is told by letter if neither its browser nor its network was used before', async ({ service, ann, browser }) => {
    const counts: number[] = []
    const note = async () => counts.push((await told(service, ann)).length)

    for (const [where, place] of [
      [ann, HOME],
      [ann, AWAY],
      [browser(), HOME],
      [browser(), THIRD],
      [browser(), THIRD],
    ] as const) {
      assert.equal((await where.signIn(place)).status, 200)
      await note()
    }

    assert.deepEqual(counts, [0, 0, 0, 1, 1])
  })

  it('of two steps is told after the second', async ({ service, ann, browser }) => {
    const app = await addApp(service, ann)
    await ann.signIn(HOME)
    await verifyTotp(ann, app.code())
    service.clock.advance({ seconds: 30 })
    await ann.post('/api/auth/confirm', { password: ann.password }, HOME)
    const home = inNewBrowser(service, ann)
    await home.signIn(HOME)
    await home.post('/api/auth/two-factor/verify-totp', { code: app.code() }, HOME)
    service.clock.advance({ seconds: 30 })
    const elsewhere = browser()

    await elsewhere.signIn(AWAY)
    const first = (await told(service, ann)).length
    await elsewhere.post('/api/auth/two-factor/verify-totp', { code: app.code() }, AWAY)

    assert.deepEqual([first, (await told(service, ann)).length], [0, 1])
  })

  it('is not told while the letters are off, nor to somebody who was never seen anywhere', async ({
    service,
    administrator,
    ann,
    browser,
  }) => {
    await browser().signIn(HOME)
    await administrator.saveSettings('authentication', { sign_in_letters: false })
    await browser().signIn(AWAY)

    assert.deepEqual(await told(service, ann), [])
  })
})

describe('the link of its letter', () => {
  it('ends every session and tool, and the password, and leads to a new one', async ({ service, ann, browser }) => {
    const thief = browser()
    const token = await reported(service, ann, thief)
    const grant = await grantFor(ann, 'account:profile:read')

    const { status, body } = await browser().post(SECURE, { token })

    assert.deepEqual([status, body], [200, { success: true, email: ann.email }])
    const sessions = await Promise.all([ann, thief].map((one) => one.get('/api/auth/get-session')))
    assert.deepEqual(
      sessions.map((session) => session.body),
      [null, null],
    )
    assert.equal((await grant.refresh()).status, 400)
    assert.equal((await thief.signIn(AWAY)).status, 401)
    const otp = await service.mail.codeFor(ann.email)
    const reset = { email: ann.email, otp, password: NEW_PASSWORD }
    assert.equal((await browser().post('/api/auth/email-otp/reset-password', reset)).status, 200)
    assert.equal((await new Person(service, ann.email, NEW_PASSWORD).signIn(HOME)).status, 200)
  })

  it('can be used twice, but not once the owner has a new password, nor after a week', async ({
    service,
    ann,
    browser,
  }) => {
    const token = await reported(service, ann, browser())
    const use = async () => (await browser().post(SECURE, { token })).status

    const statuses = [await use(), await use()]
    service.clock.advance({ seconds: 1 })
    const owner = new Person(service, ann.email, NEW_PASSWORD)
    await resetByCode(service, owner)
    await owner.signIn(HOME)
    statuses.push(await use())

    assert.deepEqual(statuses, [200, 200, 400])
    assert.equal((await owner.get('/api/auth/get-session')).body.user.email, ann.email)
    const later = await reported(service, owner, new Person(service, ann.email, NEW_PASSWORD))
    service.clock.advance({ days: 7, seconds: 1 })
    assert.equal((await browser().post(SECURE, { token: later })).status, 400)
  })

  it('cannot be made up', async ({ service, ann, browser }) => {
    const token = await reported(service, ann, browser())

    for (const wrong of ['', 'a', token.slice(1), `${token.slice(0, -2)}AA`, '\ud800'])
      assert.equal((await browser().post(SECURE, { token: wrong })).status, 400)
    assert.equal((await ann.get('/api/auth/get-session')).body.user.email, ann.email)
  })
})
