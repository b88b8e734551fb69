import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { prepareAdministrator } from '../../../src/prepare.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { it } from '../../service/it.ts'
import { type Answer, Person, people, stranger } from '../../service/people.ts'
import { NO_COOLDOWN, serviceWithMail } from '../../service/with-mail.ts'
import { signUp } from '../support/sign-up.ts'

const SIGN_IN = '/api/auth/sign-in/email'

const CHANGE = '/api/auth/change-password'

const JSON_TYPE = { 'content-type': 'application/json' }

/** All that a watcher can tell answers apart by; ids, times and what was sent aside. */
function appearance({ status, headers, body }: Answer<unknown>, email: string) {
  const names = [...headers.keys()].filter((name) => name !== 'x-request-id').sort()
  const text = JSON.stringify(body)
    .replaceAll(email, '<email>')
    .replace(/"(id|affCode|createdAt|updatedAt)":"[^"]+"/g, '"$1":"…"')
  return { status, names, length: headers.get('content-length'), text }
}

describe('7. an unknown address and a wrong password', () => {
  it('get the same response, to the byte', async ({ service }) => {
    await people(service)

    const [unknown, wrong] = await Promise.all(
      ['nobody@example.com', 'ann@example.com'].map(async (email) =>
        appearance(await stranger(service).post(SIGN_IN, { email, password: 'not the right one' }), email),
      ),
    )

    assert.deepEqual(unknown, wrong)
    assert.equal(wrong?.status, 401)
  })
})

describe('9. if verification is required, a taken address', () => {
  it('gets exactly the response of a new one, without a token, and no user is made', async () => {
    await using service = await serviceWithMail({
      authentication: { ...NO_COOLDOWN, email_verification_required: true },
    })
    await signUp(service, 'a long walk in the rain', 'taken@example.com')
    const count = async () => (await service.platform.meta.selectFrom('user').select('id').execute()).length
    const before = await count()

    const taken = await signUp(service, 'another long password', 'taken@example.com')
    const after = await count()
    const fresh = await signUp(service, 'another long password', 'fresh@example.com')

    assert.deepEqual(appearance(taken, 'taken@example.com'), appearance(fresh, 'fresh@example.com'))
    assert.equal(taken.body.token, null)
    assert.equal(
      taken.headers.getSetCookie().some((cookie) => cookie.includes('session=')),
      false,
    )
    assert.equal(after, before)
  })
})

describe('10. requests for codes', () => {
  for (const [path, extra] of [
    ['/api/auth/email-otp/send-verification-otp', { type: 'email-verification' }],
    ['/api/auth/email-otp/request-password-reset', {}],
  ] as const) {
    it(`${path} has the same response for known, unknown, unverified and community accounts`, async () => {
      await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
      await people(service)
      const addresses = [
        'ann@example.com',
        'admin@example.com',
        'nobody@example.com',
        'community-1@community.local',
      ]

      const answers = await Promise.all(
        addresses.map(async (email) =>
          appearance(await stranger(service).post(path, { email, ...extra }), email),
        ),
      )

      for (const answer of answers) assert.deepEqual(answer, answers[0])
      assert.equal(answers[0]?.status, 200)
    })
  }
})

describe('11. spellings of one address', () => {
  it('are one account and one cooldown', async ({ service }) => {
    const spellings = ['A@x.com', 'a@X.com', ' a@x.com ']

    const answers = await Promise.all(
      spellings.map((email) => signUp(service, 'a long walk in the rain', email)),
    )
    const users = await service.platform.meta.selectFrom('user').select('email').execute()

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 429, 429])
    assert.equal(users.filter(({ email }) => email === 'a@x.com').length, 1)
    service.clock.advance({ minutes: 2 })
    const later = await signUp(service, 'a long walk in the rain', 'A@X.COM')
    assert.deepEqual([later.status, later.body.code], [422, 'USER_ALREADY_EXISTS'])
  })
})

describe('14. what a client sends about itself at sign-up', () => {
  it('role, emailVerified, affCode, id and registrationUtmSource have no effect', async ({ service }) => {
    const claims = {
      role: 'administrator',
      emailVerified: true,
      affCode: 'MINE',
      id: 'mine',
      registrationUtmSource: 'x',
    }

    const { body } = await stranger(service).signUp(claims)

    const { user } = JSON.parse(JSON.stringify(body))
    assert.deepEqual([user.role, user.emailVerified], ['user', false])
    for (const value of ['MINE', 'mine', '"x"']) assert.equal(JSON.stringify(user).includes(value), false)
  })
})

describe('15. fifty sign-ups of one address at once', () => {
  it('make one user, one balance, one reward, one shard', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
    await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 7 })

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => signUp(service, 'a long walk in the rain')),
    )

    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const { meta, shards } = service.platform
    const user = await meta.selectFrom('user').select('id').where('email', '=', 'carl@example.com').execute()
    const placed = await meta
      .selectFrom('user_shards')
      .select('shard_id')
      .where('user_id', '=', user[0]?.id ?? '')
      .execute()
    const shard = shards.get(placed[0]?.shard_id ?? '')
    const balances = await shard
      ?.selectFrom('credit_balance')
      .select('balance')
      .where('user_id', '=', user[0]?.id ?? '')
      .execute()
    const entries = await shard
      ?.selectFrom('credit_entries')
      .select('amount')
      .where('user_id', '=', user[0]?.id ?? '')
      .execute()
    assert.deepEqual([user.length, placed.length], [1, 1])
    assert.deepEqual(
      balances?.map(({ balance }) => balance),
      [7],
    )
    assert.deepEqual(
      entries?.map(({ amount }) => amount),
      [7],
    )
  })
})

describe('16. a change of password', () => {
  it('needs the current one, and ends the other sessions if that is requested', async ({ service, ann }) => {
    const elsewhere = new Person(service, ann.email, ann.password)
    await elsewhere.signIn()
    const newPassword = 'another long password'

    const without = await ann.post(CHANGE, { newPassword })
    const wrong = await ann.post(CHANGE, { currentPassword: 'wrong', newPassword })
    const right = await ann.post(CHANGE, {
      currentPassword: ann.password,
      newPassword,
      revokeOtherSessions: true,
    })

    assert.deepEqual([without.status, wrong.status, right.status], [400, 401, 200])
    assert.equal((await elsewhere.get('/api/auth/get-session')).body, null)
  })
})

describe('17. a completed reset', () => {
  it('ends every session and leaves the code unusable', async () => {
    await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
    const { ann } = await people(service)
    const reset = '/api/auth/email-otp/reset-password'
    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)

    const first = await stranger(service).post(reset, {
      email: ann.email,
      otp,
      password: 'another long password',
    })
    const again = await stranger(service).post(reset, {
      email: ann.email,
      otp,
      password: 'a third long password',
    })

    assert.deepEqual([first.status, again.status], [200, 400])
    assert.equal((await ann.get('/api/auth/get-session')).body, null)
  })
})

describe("18. the first administrator's password", () => {
  it('is in no log or response, and its owner is warned until it is changed', async ({
    service,
    administrator,
  }) => {
    const before = await administrator.get('/api/auth/get-session')
    const answers = JSON.stringify([
      before.body,
      (await administrator.post('/api/admin/list_audit_entries')).body,
    ])

    assert.equal(before.body.user.passwordIsInitial, true)
    assert.equal(answers.includes(administrator.password), false)
    assert.equal(JSON.stringify(service.log.lines).includes(administrator.password), false)
    await administrator.post(CHANGE, {
      currentPassword: administrator.password,
      newPassword: 'a password of my own',
    })
    assert.equal((await administrator.get('/api/auth/get-session')).body.user.passwordIsInitial, false)
  })
})

describe('19. a second preparation', () => {
  it("with another SYSTEM_EMAIL changes neither the administrator's address nor the password", async ({
    service,
  }) => {
    const config = { ...service.config, systemEmail: 'other@example.com' }

    const printed = await prepareAdministrator({ ...service.platform, config })

    assert.equal(printed, undefined)
    const { email, password } = service.administrator
    assert.equal((await new Person(service, email, password).signIn()).status, 200)
    assert.equal((await new Person(service, 'other@example.com', password).signIn()).status, 401)
  })
})

describe('20. the OTP sign-in path', () => {
  for (const [what, init] of [
    ['no body', { method: 'POST' }],
    ['broken JSON', { method: 'POST', headers: JSON_TYPE, body: '{' }],
    ['a huge body', { method: 'POST', headers: JSON_TYPE, body: `"${'x'.repeat(2 * 1024 * 1024)}"` }],
    ['a valid body', { method: 'POST', headers: JSON_TYPE, body: '{"email":"a@x.com","otp":"123456"}' }],
    ['another method', { method: 'PUT', body: 'x' }],
  ] as const) {
    it(`is refused for ${what}`, async ({ service }) => {
      const { status, body } = await stranger(service).send('/api/auth/sign-in/email-otp', init)

      assert.deepEqual([status, body.code], [400, 'EMAIL_OTP_SIGN_IN_DISABLED'])
    })
  }
})
