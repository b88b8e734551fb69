import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { prepareAdministrator } from '../../../src/prepare.ts'
import { assertRefused } from '../../service/answers.ts'
import { bearer } from '../../service/applications.ts'
import { it } from '../../service/it.ts'
import { type Answer, Person, stranger } from '../../service/people.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { REQUESTS, reset, resetCodeFor } from '../support/codes.ts'

const SIGN_UP = '/api/auth/sign-up/email'
const CHANGE = '/api/auth/change-password'
const NEW_PASSWORD = 'a quieter walk in the snow'

/** Everything by which an observer could tell responses apart, without ids, times and what was sent. */
function appearance({ status, headers, body }: Answer<unknown>, email: string) {
  const theirs = ['x-request-id', 'x-db-meta-bookmark', 'set-cookie']
  const shown = [...headers].map(([name, value]) => (theirs.includes(name) ? [name] : [name, value]))
  const text = JSON.stringify(body)
    .replaceAll(email, '<email>')
    .replace(/"(id|affCode|createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"')
  return { status, shown, length: headers.get('content-length'), text }
}

async function userOf(person: Person, headers: Readonly<Record<string, string>> = {}) {
  return (await person.get('/api/auth/get-session', headers)).body?.user
}

describe('a sign-up', () => {
  it('returns token and user, and signs in by cookie and by bearer token', async ({ service }) => {
    const carl = stranger(service)

    const { status, body, headers } = await carl.signUp()

    assert.deepEqual([status, body.user?.email], [200, carl.email])
    assert.deepEqual([headers.get('set-auth-token'), headers.get('cache-control')], [body.token ?? '', 'no-store'])
    assert.equal((await userOf(stranger(service), bearer(carl.token))).id, carl.id)
    assert.equal((await userOf(carl)).id, carl.id)
    assert.equal((await carl.signIn()).body.redirect, false)
    await carl.post('/api/auth/sign-out')
    assert.equal(carl.cookies.has('session'), false)
  })

  it('with malformed input is INVALID_REQUEST with issues', async ({ service }) => {
    const noAddress = { email: 'nobody', password: 'an owl under the roof', name: 'x' }
    for (const sent of [{}, [], null, 'x', noAddress]) {
      const answer = await stranger(service).post(SIGN_UP, sent)

      assertRefused(answer, 'INVALID_REQUEST')
      assert.ok(answer.body.issues.length > 0)
    }
  })

  it.for([
    ['spring%20letter', 'spring letter'],
    [encodeURIComponent(' spring\tletter '), ' spring\tletter '],
    [encodeURIComponent('雪'), '雪'],
    ['x'.repeat(4_096), 'x'.repeat(4_096)],
    ['', ''],
    ['x'.repeat(4_097), null],
    ['a%00b', null],
    [undefined, null],
  ] as const)(
    'stores the registration_utm_source of the cookie alone: %.12s',
    async ([cookie, stored], { service }) => {
      const carl = stranger(service)
      if (cookie !== undefined) carl.cookies.set('registration_utm_source', cookie)
      const sent = { email: carl.email, password: carl.password, name: 'Carl' }

      const { status } = await carl.post(`${SIGN_UP}?registration_utm_source=query&utm_source=query`, sent)

      assert.deepEqual([status, (await userOf(carl)).registrationUtmSource], [200, stored])
    },
  )
})

describe('7. an unknown address and a wrong password', () => {
  it('get the same response, to the byte', async ({ service, ann }) => {
    const [unknown, wrong] = await Promise.all(
      ['nobody@example.com', ann.email].map((email) => new Person(service, email, 'not hers').signIn()),
    )

    assert.ok(unknown && wrong)
    assertRefused(wrong, 'INVALID_EMAIL_OR_PASSWORD')
    assert.deepEqual(appearance(unknown, 'nobody@example.com'), appearance(wrong, ann.email))
  })
})

describe('9. if verification is required, a taken address', () => {
  it.override('settings', {
    ...WITH_MAIL,
    authentication: { ...NO_COOLDOWN, email_verification_required: true },
  })

  it('gets exactly the response of a new one, without a token, and no user is made', async ({ service }) => {
    const [carl, dora] = [stranger(service), stranger(service, 'dora@example.com')]
    await carl.signUp()
    const ids = () => service.platform.meta.selectFrom('user').select('id').execute()
    const before = await ids()
    const thief = new Person(service, carl.email, 'a different password')

    const taken = await thief.signUp({ name: 'Someone' })
    const after = await ids()
    const fresh = await dora.signUp({ name: 'Someone' })

    assert.deepEqual(appearance(taken, thief.email), appearance(fresh, dora.email))
    assert.deepEqual([taken.body.token, taken.headers.get('set-auth-token')], [null, null])
    assert.equal(
      taken.headers.getSetCookie().some((cookie) => cookie.startsWith('session=')),
      false,
    )
    assert.deepEqual(after, before)
    assert.ok(!before.some(({ id }) => id === taken.body.user?.id))
    assertRefused(await thief.signIn(), 'INVALID_EMAIL_OR_PASSWORD')
    assertRefused(await dora.signIn(), 'EMAIL_NOT_VERIFIED')
  })
})

describe('10. requests for codes', () => {
  it.override('settings', { ...WITH_MAIL, authentication: NO_COOLDOWN })

  for (const [path, extra] of REQUESTS) {
    it(`${path} have one response for all kinds of addresses`, async ({ service, ann, administrator }) => {
      const addresses = [ann.email, administrator.email, 'nobody@example.com', 'community-1@community.local']

      const answers = await Promise.all(
        addresses.map(async (email) => appearance(await stranger(service).post(path, { email, ...extra }), email)),
      )

      for (const answer of answers) assert.deepEqual(answer, answers[0])
      assert.deepEqual([answers[0]?.status, answers[0]?.text], [200, '{"success":true}'])
      const queued = await service.platform.meta.selectFrom('letter_queue').select('id').execute()
      assert.equal(queued.length, addresses.length - 1)
      const receivers = (await service.mail.all()).map(({ to }) => to)
      const isTold = (email: string) => receivers.includes(email)
      assert.deepEqual([ann.email, ...addresses.slice(2)].map(isTold), [true, false, false])
    })
  }
})

describe('11. spellings of one address', () => {
  it('are one account and one cooldown', async ({ service }) => {
    const people = ['A@x.com', 'a@X.com', ' a@x.com '].map((email) => stranger(service, email))

    const answers = await Promise.all(people.map((person) => person.signUp()))

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 429, 429])
    service.clock.advance({ minutes: 2 })
    assertRefused(await stranger(service, 'A@X.COM').signUp(), 'USER_ALREADY_EXISTS')
    assert.equal((await stranger(service, '  a@X.com').signIn()).body.user?.email, 'a@x.com')
    assert.equal((await stranger(service, 'b@x.com').signUp()).status, 200)
  })
})

describe('14. what a client sends about itself at sign-up', () => {
  it('role, emailVerified, affCode, id and registrationUtmSource have no effect', async ({ service }) => {
    const carl = stranger(service)

    const { body } = await carl.signUp({
      role: 'administrator',
      emailVerified: true,
      affCode: 'MINE',
      id: 'mine',
      registrationUtmSource: 'me',
      registration_utm_source: 'me',
    })

    const user = await userOf(carl)
    assert.deepEqual([user.role, user.emailVerified, user.registrationUtmSource], ['user', false, null])
    for (const value of ['"MINE"', '"mine"', '"me"', 'administrator'])
      assert.equal(JSON.stringify([body, user]).includes(value), false)
  })
})

describe('15. fifty sign-ups of one address at once', () => {
  it.override('settings', {
    authentication: NO_COOLDOWN,
    credits: { signup_reward_enabled: true, signup_reward_amount: 7 },
  })

  it('make one user, one account, one balance, one reward, one shard', async ({ service }) => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => stranger(service).signUp()))

    const made = answers.filter(({ status }) => status === 200)
    assert.deepEqual([made.length, answers.filter(({ status }) => status === 422).length], [1, 49])
    const { meta, shards } = service.platform
    const id = made[0]?.body.user?.id ?? ''
    const users = meta.selectFrom('user').select('id').where('email', '=', 'carl@example.com')
    const accounts = meta.selectFrom('account').select('id').where('user_id', '=', id)
    const placed = await meta.selectFrom('user_shards').select('shard_id').where('user_id', '=', id).execute()
    assert.deepEqual(await users.execute(), [{ id }])
    assert.deepEqual([(await accounts.execute()).length, placed.length], [1, 1])
    const shard = shards.get(placed[0]?.shard_id ?? '')
    const balances = shard?.selectFrom('credit_balance').select('balance').where('user_id', '=', id)
    const entries = shard?.selectFrom('credit_entries').select('amount').where('user_id', '=', id)
    assert.deepEqual(await balances?.execute(), [{ balance: 7 }])
    assert.deepEqual(await entries?.execute(), [{ amount: 7 }])
  })
})

describe('16. a change of password', () => {
  it('needs the current one, and gives this session a new token', async ({ service, ann }) => {
    const old = ann.token

    const without = await ann.post(CHANGE, { newPassword: NEW_PASSWORD })
    const wrong = await ann.post(CHANGE, { currentPassword: 'not hers', newPassword: NEW_PASSWORD })
    const changed = await ann.post(CHANGE, { currentPassword: ann.password, newPassword: NEW_PASSWORD })

    assertRefused(without, 'INVALID_REQUEST')
    assertRefused(wrong, 'INVALID_EMAIL_OR_PASSWORD')
    assert.deepEqual([changed.status, changed.body.user.email], [200, ann.email])
    assert.notEqual(changed.body.token, old)
    assert.equal(await userOf(stranger(service), bearer(old)), undefined)
    assert.equal((await userOf(ann)).id, ann.id)
    assert.equal((await ann.signIn()).status, 401)
    assert.equal((await new Person(service, ann.email, NEW_PASSWORD).signIn()).status, 200)
  })

  it('ends the other sessions if the request says so, and only then', async ({ service, ann }) => {
    const laptop = new Person(service, ann.email, ann.password)
    await laptop.signIn()
    const change = (currentPassword: string, newPassword: string, more: object) =>
      ann.post(CHANGE, { currentPassword, newPassword, ...more })

    await change(ann.password, NEW_PASSWORD, {})
    assert.equal((await userOf(laptop)).id, ann.id)
    await change(NEW_PASSWORD, ann.password, { revokeOtherSessions: true })

    assert.equal(await userOf(laptop), undefined)
    assert.equal((await userOf(ann)).id, ann.id)
  })

  it('obeys the rules of passwords', async ({ ann }) => {
    for (const [newPassword, code] of [
      ['short', 'PASSWORD_TOO_SHORT'],
      ['password1', 'PASSWORD_COMPROMISED'],
      ['x'.repeat(129), 'PASSWORD_TOO_LONG'],
    ] as const)
      assertRefused(await ann.post(CHANGE, { currentPassword: ann.password, newPassword }), code)
    assert.equal((await ann.signIn()).status, 200)
  })

  it('of two at once one passes', async ({ ann }) => {
    const answers = await Promise.all(
      ['the first of the two', 'the second of the two'].map((newPassword) =>
        ann.post(CHANGE, { currentPassword: ann.password, newPassword }, bearer(ann.token)),
      ),
    )

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401])
  })
})

describe('17. a completed reset', () => {
  it.override('settings', { ...WITH_MAIL, authentication: NO_COOLDOWN })

  it('ends every session; the code and the old password are over', async ({ service, ann, ben }) => {
    const otp = await resetCodeFor(service, ann)

    const first = await reset(stranger(service, ann.email), otp, NEW_PASSWORD)
    const again = await reset(stranger(service, ann.email), otp, 'a third long password')

    assert.deepEqual([first.status, first.body], [200, { success: true }])
    assertRefused(again, 'INVALID_OTP')
    assert.equal(await userOf(ann), undefined)
    assert.equal((await userOf(ben)).email, ben.email)
    assert.equal((await ann.signIn()).status, 401)
    assert.equal((await new Person(service, ann.email, NEW_PASSWORD).signIn()).status, 200)
  })
})

describe("18. the first administrator's password", () => {
  it('is in no log or response, with a warning until it is changed', async ({ service, administrator }) => {
    const { password } = administrator
    const before = await userOf(administrator)
    const entries = await administrator.post('/api/admin/list_audit_entries')

    assert.equal(before.passwordIsInitial, true)
    assert.equal(JSON.stringify([before, entries.body, service.log.lines]).includes(password), false)
    await administrator.post(CHANGE, { currentPassword: password, newPassword: NEW_PASSWORD })
    assert.equal((await userOf(administrator)).passwordIsInitial, false)
  })
})

describe('19. a second preparation', () => {
  it('with another SYSTEM_EMAIL changes neither the address nor the password', async ({ service }) => {
    const config = { ...service.config, systemEmail: 'other@example.com' }

    assert.equal(await prepareAdministrator({ ...service.platform, config }), undefined)

    const { email, password } = service.administrator
    assert.equal((await new Person(service, email, password).signIn()).status, 200)
    assert.equal((await new Person(service, config.systemEmail, password).signIn()).status, 401)
  })
})
