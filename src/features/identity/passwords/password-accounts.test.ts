import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it } from '../../../../test/service/it.ts'
import { Person, people, stranger } from '../../../../test/service/people.ts'
import { startService } from '../../../../test/service/service.ts'

describe('sign-up', () => {
  it('returns token and user, and signs in by cookie and by bearer token', async ({ service }) => {
    const carl = stranger(service)

    const { status, body, headers } = await carl.signUp()

    assert.equal(status, 200)
    assert.equal(body.user?.email, 'carl@example.com')
    assert.equal(headers.get('set-auth-token'), body.token)
    assert.equal(headers.get('cache-control'), 'no-store')
    const bearer = { authorization: `Bearer ${body.token}` }
    assert.equal((await stranger(service).get('/api/auth/get-session', bearer)).body.user.id, carl.id)
    assert.equal((await carl.get('/api/auth/get-session')).body.user.id, carl.id)
  })

  it('an address is trimmed and lower-cased once: every spelling is one account', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
    await stranger(service, ' Ann@Example.com ').signUp()

    const again = await stranger(service, 'ANN@example.COM').signUp()
    const signedIn = await stranger(service, '  ann@EXAMPLE.com').signIn()

    assert.deepEqual([again.status, again.body.code], [422, 'USER_ALREADY_EXISTS'])
    assert.equal(signedIn.body.user?.email, 'ann@example.com')
  })

  it('client-sent role, id, emailVerified, affCode and registrationUtmSource change nothing', async ({
    service,
  }) => {
    const carl = stranger(service)

    await carl.signUp({
      role: 'administrator',
      id: 'mine',
      emailVerified: true,
      affCode: 'MINE',
      registrationUtmSource: 'me',
      registration_utm_source: 'me',
    })

    const { user } = (await carl.get('/api/auth/get-session')).body
    assert.equal(user.role, 'user')
    assert.equal(user.emailVerified, false)
    assert.notEqual(user.id, 'mine')
    assert.notEqual(user.affCode, 'MINE')
    assert.equal(user.registrationUtmSource, null)
  })

  it('registration_utm_source is stored as it was sent', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
    const long = `source ${'x'.repeat(1_000)}`

    const stored = await Promise.all(
      [' spring letter ', 'a\tb', long, '', '雪'].map(async (source, i) => {
        const person = stranger(service, `person-${i}@example.com`)
        person.cookies.set('registration_utm_source', encodeURIComponent(source))
        await person.signUp()
        return (await person.get('/api/auth/get-session')).body.user.registrationUtmSource
      }),
    )

    assert.deepEqual(stored, [' spring letter ', 'a\tb', long, '', '雪'])
  })

  it('registration_utm_source that no browser keeps, or no store takes, is left out', async ({ service }) => {
    const [carl, dora] = [stranger(service), stranger(service, 'dora@example.com')]
    carl.cookies.set('registration_utm_source', 'x'.repeat(4_097))
    dora.cookies.set('registration_utm_source', 'a%00b')

    const answers = [await carl.signUp(), await dora.signUp()]

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.equal((await carl.get('/api/auth/get-session')).body.user.registrationUtmSource, null)
  })

  it('registration_utm_source comes from the cookie, and from nothing else', async ({ service }) => {
    const carl = stranger(service)
    const dora = stranger(service, 'dora@example.com')
    carl.cookies.set('registration_utm_source', 'spring%20letter')
    const body = { email: dora.email, password: dora.password, name: 'Dora' }

    await carl.signUp()
    await dora.post('/api/auth/sign-up/email?registration_utm_source=query&utm_source=query', body)

    const source = async (person: Person) =>
      (await person.get('/api/auth/get-session')).body.user.registrationUtmSource
    assert.equal(await source(carl), 'spring letter')
    assert.equal(await source(dora), null)
  })

  it('fifty at once make one user, one account, one balance, one reward, one shard', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
    await changeSettings(service, 'credits', { signup_reward_enabled: true, signup_reward_amount: 7 })

    const answers = await Promise.all(Array.from({ length: 50 }, () => stranger(service).signUp()))

    const made = answers.filter(({ status }) => status === 200)
    assert.equal(made.length, 1)
    assert.equal(answers.filter(({ status }) => status === 422).length, 49)
    const { meta, shards } = service.platform
    const id = made[0]?.body.user?.id ?? ''
    const assigned = await meta
      .selectFrom('user_shards')
      .select('shard_id')
      .where('user_id', '=', id)
      .execute()
    const accounts = await meta.selectFrom('account').select('id').where('user_id', '=', id).execute()
    const shard = shards.get(assigned[0]?.shard_id ?? '')
    assert.deepEqual([assigned.length, accounts.length], [1, 1])
    const balances = await shard
      ?.selectFrom('credit_balance')
      .select('balance')
      .where('user_id', '=', id)
      .execute()
    assert.deepEqual(
      balances?.map(({ balance }) => balance),
      [7],
    )
  })

  it('malformed input is INVALID_REQUEST with issues, and changes nothing', async ({ service }) => {
    for (const body of [
      {},
      [],
      null,
      'x',
      { email: 'nobody', password: 'an owl under the roof', name: 'x' },
    ]) {
      const answer = await stranger(service).post('/api/auth/sign-up/email', body)

      assert.deepEqual([answer.status, answer.body.code], [400, 'INVALID_REQUEST'])
      assert.ok(answer.body.issues.length > 0)
    }
  })
})

describe('sign-up with required verification', () => {
  it('responds without a token or cookie, and signs in only after verification', async ({ service }) => {
    await requireVerification(service)
    const carl = stranger(service)

    const { status, body, headers } = await carl.signUp()
    const signIn = await carl.signIn()

    assert.deepEqual([status, body.token, body.user?.email], [200, null, 'carl@example.com'])
    assert.equal(headers.get('set-auth-token'), null)
    assert.ok(!headers.getSetCookie().some((cookie) => cookie.startsWith('session=')))
    assert.deepEqual([signIn.status, signIn.body.code], [403, 'EMAIL_NOT_VERIFIED'])
  })

  it('of a taken address has the same response as of a new one, and creates nothing', async ({ service }) => {
    await people(service)
    await requireVerification(service)
    service.clock.advance({ minutes: 2 })
    const thief = new Person(service, 'ann@example.com', 'a different password')

    const taken = await thief.signUp()
    const fresh = await stranger(service, 'eve@example.com').signUp()

    assert.equal(taken.status, fresh.status)
    assert.deepEqual(shape(taken.body), shape(fresh.body))
    assert.deepEqual([...taken.headers.keys()], [...fresh.headers.keys()])
    assert.equal((await thief.signIn()).status, 401)
    const users = await service.platform.meta
      .selectFrom('user')
      .select('id')
      .where('email', '=', 'ann@example.com')
      .execute()
    assert.equal(users.length, 1)
    assert.notEqual(users[0]?.id, taken.body.user?.id)
  })
})

describe('sign-in', () => {
  it('gives a new token each time, whatever the browser sent', async ({ service }) => {
    const carl = stranger(service)
    await carl.signUp()
    const first = carl.token

    const { body } = await carl.signIn()

    assert.equal(body.redirect, false)
    assert.notEqual(carl.token, first)
  })

  it('an unknown address and a wrong password get the same response', async ({ service }) => {
    await people(service)

    const wrong = await new Person(service, 'ann@example.com', 'not her password').signIn()
    const unknown = await new Person(service, 'nobody@example.com', 'not her password').signIn()

    assert.deepEqual([wrong.status, wrong.body.code], [401, 'INVALID_EMAIL_OR_PASSWORD'])
    assert.deepEqual(wrong.body, unknown.body)
    assert.deepEqual(withoutIds(wrong.headers), withoutIds(unknown.headers))
  })

  it('a password over 1,024 bytes is refused before any hashing', async ({ service }) => {
    const answer = await new Person(service, 'ann@example.com', 'x'.repeat(1025)).signIn()

    assert.deepEqual([answer.status, answer.body.code], [400, 'PASSWORD_TOO_LONG'])
  })

  it('its cookie is HttpOnly, lax and for the whole site; on https host-only and secure', async () => {
    await using local = await startService()
    await using live = await startService({ env: { APP_DOMAIN: 'id.example.com' } })

    const [here] = sessionCookies(await stranger(local).signUp())
    const [there] = sessionCookies(await stranger(live).signUp())

    assert.match(here ?? '', /^session=ghs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.match(there ?? '', /^__Host-session=ghs_[\w-]{43}; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  })
})

describe('sign-out', () => {
  it('ends the session at once for cookie and bearer, in every process', async ({ service }) => {
    const carl = stranger(service)
    await carl.signUp()
    const headers = { authorization: `Bearer ${carl.token}` }
    assert.notEqual(await (await service.requestElsewhere('/api/auth/get-session', { headers })).json(), null)

    await carl.post('/api/auth/sign-out')

    assert.equal(await (await service.request('/api/auth/get-session', { headers })).json(), null)
    assert.equal(await (await service.requestElsewhere('/api/auth/get-session', { headers })).json(), null)
    assert.equal(carl.cookies.has('session'), false)
  })
})

type Service = Awaited<ReturnType<typeof startService>>

async function requireVerification(service: Service): Promise<void> {
  await changeSettings(service, 'authentication', { email_verification_required: true })
  await changeSettings(service, 'email', { provider: 'smtp' })
}

function sessionCookies({ headers }: { readonly headers: Headers }): readonly string[] {
  return headers.getSetCookie().filter((cookie) => /^(__Host-)?session=/.test(cookie))
}

function withoutIds(headers: Headers): readonly (readonly [string, string])[] {
  return [...headers].filter(([name]) => !['x-request-id', 'x-db-meta-bookmark', 'set-cookie'].includes(name))
}

/** Names and kinds, without values that differ from person to person. */
function shape(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shape(inner)]))
}
