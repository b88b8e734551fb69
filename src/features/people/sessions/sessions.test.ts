import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { bearer } from '../../../../test/service/applications.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { grantFor, userBehind } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { inNewBrowser } from '../../../../test/service/new-browser.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { deviceInWords } from '../../delivery/mail/circumstances/device.ts'

const GET_SESSION = '/api/auth/get-session'
const FEEDBACK = '/api/submit_feedback'
const opinion = { type: 'idea', content: 'More owls.' }

/** Signs the person in in another browser. */
async function elsewhere(service: Service, person: Person, headers: Record<string, string> = {}) {
  const other = inNewBrowser(service, person)
  await other.signIn(headers)
  return other
}

/** The status with which another process answers a request with these headers. */
async function statusElsewhere(service: Service, headers: Readonly<Record<string, string>>) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(opinion),
  }
  return (await service.requestElsewhere(FEEDBACK, init)).status
}

const cookieOf = (token: string) => ({ cookie: `session=${token}` })

/** The session cookie, and the one that says that it ends with the browser. */
function sessionCookies(headers: Headers, prefix = ''): readonly string[] {
  const names = [`${prefix}session=`, `${prefix}dont_remember=`]
  return headers.getSetCookie().filter((cookie) => names.some((name) => cookie.startsWith(name)))
}

function attributesOf(cookie: string): string {
  return cookie.split('; ').slice(1).sort().join(', ')
}

describe('33. the session cookie', () => {
  it('on localhost is HttpOnly, Lax and for the whole site', async ({ service }) => {
    const [cookie] = sessionCookies((await stranger(service).signUp()).headers)

    assert.match(cookie ?? '', /^session=ghs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  describe('on https', () => {
    it.override('options', { env: { APP_DOMAIN: 'id.example.com' } })

    it('is HttpOnly, Lax, secure and for the whole site', async ({ service }) => {
      const [cookie] = sessionCookies((await stranger(service).signUp()).headers, '__Host-')

      assert.match(
        cookie ?? '',
        /^__Host-session=ghs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
    })

    it('ends with the browser if it is not to be remembered, even after a renewal', async ({ service, ann }) => {
      const { email, password } = ann
      const signIn = { email, password, rememberMe: false }

      const signedIn = await ann.post('/api/auth/sign-in/email', signIn)
      service.clock.advance({ days: 27 })
      const renewed = await ann.get(GET_SESSION)
      const changes = { currentPassword: password, newPassword: 'a quieter walk in the snow' }
      const changed = await ann.post('/api/auth/change-password', changes)
      const signedOut = await ann.post('/api/auth/sign-out', {})

      const begun = sessionCookies(signedIn.headers, '__Host-')
      const untilClosed = 'HttpOnly, Path=/, SameSite=Lax, Secure'
      assert.deepEqual(begun.map(attributesOf), [untilClosed, untilClosed])
      assert.equal(Date.parse(renewed.body.session.expiresAt), service.clock.now() + 30 * 86_400_000)
      assert.deepEqual(sessionCookies(renewed.headers, '__Host-'), [])
      assert.equal(changed.status, 200)
      assert.doesNotMatch(sessionCookies(changed.headers, '__Host-').join(), /Max-Age|Expires/i)
      assert.equal(sessionCookies(signedOut.headers, '__Host-').filter((line) => /Max-Age=0/.test(line)).length, 2)
    })
  })

  it('is lasting again when a user who was not remembered chooses to be', async ({ service, ann }) => {
    const { email, password } = ann
    await ann.post('/api/auth/sign-in/email', { email, password, rememberMe: false })

    const again = await ann.post('/api/auth/sign-in/email', { email, password })
    service.clock.advance({ days: 27 })
    const renewed = await ann.get(GET_SESSION)

    assert.match(sessionCookies(again.headers)[0] ?? '', /Max-Age=2592000/)
    assert.match(sessionCookies(renewed.headers)[0] ?? '', /Max-Age=2592000/)
  })
})

describe('34. a session id from before the sign-in', () => {
  it('is never kept, and each sign-in gives a new one', async ({ ann }) => {
    const planted = 'ghs_'.padEnd(47, 'x')
    ann.cookies.set('session', planted)

    const tokens = [(await ann.signIn()).body.token, (await ann.signIn()).body.token, planted]

    assert.equal(new Set(tokens).size, 3)
    assert.equal(ann.cookies.get('session'), tokens[1])
  })

  it('is over: a sign-in replaces the session of this browser, and no other', async ({ service, ann }) => {
    const other = await elsewhere(service, ann)
    const former = ann.token

    await ann.post('/api/auth/sign-in/email', { email: ann.email, password: 'wrong' })
    assert.equal(await statusElsewhere(service, cookieOf(former)), 200)
    await ann.signIn()

    assert.equal(await statusElsewhere(service, cookieOf(former)), 401)
    assert.equal(await statusElsewhere(service, cookieOf(other.token)), 200)
  })
})

describe('35. tokens', () => {
  it('have 256 random bits, and what the database stores of them is useless', async ({ service, ann }) => {
    const rows = await service.platform.meta.selectFrom('session').selectAll().execute()

    assert.match(ann.token, /^ghs_[\w-]{43}$/)
    assert.equal(JSON.stringify(rows).includes(ann.token.slice(4)), false)
    for (const { id, token_hash } of rows) {
      for (const stolen of [id, token_hash, `ghs_${token_hash}`]) {
        assertRefused(await stranger(service).post(FEEDBACK, opinion, bearer(stolen)), 'UNAUTHORIZED')
      }
    }
  })
})

describe('sign-out with the token of a connection', () => {
  it('is refused and ends nothing, so that nobody believes it ended', async ({ ann, ben }) => {
    const client = await grantFor(ann, 'account:profile:read')

    const answer = await client.post('/api/auth/sign-out')

    assertRefused(answer, 'FORBIDDEN')
    assert.equal(await userBehind(ben, client.tokens.access_token), ann.id)
  })
})

describe('36. after sign-out', () => {
  it('the same cookie and the same bearer are 401 at once, in every process', async ({ service, ann }) => {
    const both = [cookieOf(ann.token), bearer(ann.token)]
    const answered = () => Promise.all(both.map((headers) => statusElsewhere(service, headers)))
    assert.deepEqual(await answered(), [200, 200])

    await ann.post('/api/auth/sign-out')

    assert.deepEqual(await answered(), [401, 401])
    assert.equal((await ann.post(FEEDBACK, opinion, bearer(ann.token))).status, 401)
  })
})

describe('a sign-out that was sent before the password was changed, and arrives after it', () => {
  it.for([
    [59, 'ends the session that has replaced its own', 401],
    [60, 'is too old to end any session but its own', 200],
  ] as const)('by %s seconds %s', async ([seconds, , status], { service, ann }) => {
    const former = bearer(ann.token)
    const passwords = { currentPassword: ann.password, newPassword: 'a lantern in the harbour' }
    const { body } = await ann.post('/api/auth/change-password', passwords)
    service.clock.advance({ seconds })

    await ann.post('/api/auth/sign-out', {}, former)

    assert.equal(await statusElsewhere(service, bearer(body.token)), status)
  })
})

describe('37. a session', () => {
  it('ends on day 30 if it was not used on day 27 or later', async ({ service, ann, ben }) => {
    for (let day = 1; day <= 26; day++) {
      service.clock.advance({ days: 1 })
      await ann.get(GET_SESSION)
    }
    service.clock.advance({ days: 1, milliseconds: -1 })
    const early = await ann.get(GET_SESSION)
    service.clock.advance({ days: 3 })
    const inTime = await ben.post(FEEDBACK, opinion)
    service.clock.advance({ milliseconds: 1 })

    assert.equal(early.body.user.id, ann.id)
    assert.deepEqual(sessionCookies(early.headers), [])
    assert.equal(inTime.status, 200)
    assert.equal((await ann.get(GET_SESSION)).body, null)
  })

  it('used on day 27 lasts thirty more days, and its cookie with it', async ({ service, ann, ben }) => {
    service.clock.advance({ days: 27 })

    const refreshed = await ann.get(GET_SESSION)
    await ben.get(GET_SESSION)
    service.clock.advance({ days: 29, hours: 23, minutes: 59, seconds: 59 })
    const inTime = await ann.get('/api/auth/list-sessions', bearer(ann.token))
    service.clock.advance({ seconds: 1 })

    assert.match(sessionCookies(refreshed.headers)[0] ?? '', /Max-Age=2592000/)
    assert.equal(inTime.status, 200)
    assert.equal((await ben.get(GET_SESSION)).body, null)
  })
})

describe('a clock that steps', () => {
  it('back by an hour, and forward again, ends no session', async ({ service, ann }) => {
    service.clock.advance({ hours: -1 })
    const back = await ann.get('/api/auth/get-session')
    service.clock.advance({ hours: 2 })
    const forth = await ann.get('/api/auth/get-session')

    assert.equal(back.body.user.id, ann.id)
    assert.equal(forth.body.user.id, ann.id)
  })

  it('back by an hour lets a session last at most that hour longer', async ({ service, ann }) => {
    service.clock.advance({ hours: -1 })
    await ann.get('/api/auth/get-session')
    service.clock.advance({ days: 30, hours: 1, seconds: 1 })

    assert.equal((await ann.get('/api/auth/get-session')).body, null)
  })

  it('back by an hour keeps a code for five minutes and that hour at most', async ({ service, ann }) => {
    await changeSettings(service, 'email', { provider: 'outbox' })
    const { email } = ann
    await ann.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await service.mail.codeFor(email)

    service.clock.advance({ hours: -1 })
    service.clock.advance({ hours: 1, minutes: 5, seconds: 1 })
    const late = await ann.post('/api/auth/email-otp/verify-email', { email, otp })

    assertRefused(late, 'OTP_EXPIRED')
  })
})

describe('38. a user who is deleted', () => {
  it('has no session any more, at once and in every process', async ({ service, administrator, ann }) => {
    const { status } = await administrator.post('/api/admin/delete_user', { id: ann.id })

    assert.equal(status, 200)
    assert.equal(await statusElsewhere(service, cookieOf(ann.token)), 401)
  })
})

describe('39. sessions of a user', () => {
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8', CONTINENT_HEADER: 'cf-ipcontinent' } })

  it('are listed with device, place, times and which one is this, without secrets', async ({ service }) => {
    const carl = stranger(service)
    await carl.signUp()
    await elsewhere(service, carl, {
      'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14.0; rv:140.0) Gecko/20100101 Firefox/140.0',
      'cf-ipcontinent': 'EU',
    })

    const { body } = await carl.get('/api/auth/list-sessions')

    const [other, ...more] = body.filter(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    assert.deepEqual([body.length, more], [2, []])
    assert.deepEqual(
      [other.device, other.place, other.lastUsedAt],
      ['Firefox on macOS', 'Europe', new Date(service.clock.now()).toISOString()],
    )
    assert.doesNotMatch(JSON.stringify(body), /ghs_/)
    assert.ok(!JSON.stringify(body).includes(carl.token))
  })

  it('are not listed once they have expired, nor to a stranger', async ({ service, ann }) => {
    service.clock.advance({ days: 15 })
    await ann.signIn()
    service.clock.advance({ days: 15 })

    assert.equal((await ann.get('/api/auth/list-sessions')).body.length, 1)
    assertRefused(await stranger(service).get('/api/auth/list-sessions'), 'UNAUTHORIZED')
  })

  it('can be ended one by one by reference, at once and in every process', async ({ service, ann }) => {
    const laptop = await elsewhere(service, ann)
    const reference = (await laptop.get(GET_SESSION)).body.session.token

    const answer = await ann.post('/api/auth/revoke-session', { token: reference })

    assert.deepEqual([answer.status, answer.body], [200, { status: true }])
    assert.equal((await laptop.get(GET_SESSION)).body, null)
    const there = await service.requestElsewhere(GET_SESSION, { headers: bearer(laptop.token) })
    assert.equal(await there.json(), null)
    assert.equal((await ann.get(GET_SESSION)).body.user.id, ann.id)
  })

  it('are 404 and stay if they belong to another user, or are named by their secret', async ({ ann, ben }) => {
    const foreign = (await ben.get(GET_SESSION)).body.session.token
    const [unknown, ...answers] = await Promise.all(
      ['nobody', foreign, ann.token].map((token) => ann.post('/api/auth/revoke-session', { token })),
    )

    for (const answer of answers) assertRefused(answer, 'NOT_FOUND')
    for (const { body } of answers) assert.deepEqual(body, unknown?.body)
    assert.deepEqual(statuses([await ann.post(FEEDBACK, opinion), await ben.post(FEEDBACK, opinion)]), [200, 200])
  })

  it.for([
    ['revoke-other-sessions', 'all but this one'],
    ['revoke-sessions', 'all, this one too'],
  ] as const)('are ended by %s: %s', async ([path, which], { service, ann, ben }) => {
    const laptop = await elsewhere(service, ann)

    const { status } = await ann.post(`/api/auth/${path}`)

    assert.equal(status, 200)
    assert.equal((await laptop.get(GET_SESSION)).body, null)
    const { body } = await ann.get(GET_SESSION)
    assert.equal(body?.user.id, which === 'all but this one' ? ann.id : undefined)
    assert.equal((await ben.get(GET_SESSION)).body.user.id, ben.id)
  })
})

describe('an Authorization header', () => {
  it.for(['Basic dXNlcjpwYXNz', 'Digest x', 'ghs_token', ''])(
    'with a scheme other than Bearer counts as absent: "%s"',
    async (authorization, { service, ann }) => {
      const signedIn = await stranger(service).get(GET_SESSION, { authorization, ...cookieOf(ann.token) })
      const nobody = await stranger(service).get(GET_SESSION, { authorization })
      const refused = await stranger(service).post('/api/list_notifications', {}, { authorization })

      assert.deepEqual([signedIn.body.user.id, nobody.body], [ann.id, null])
      assert.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer realm="gatehouse"'])
    },
  )

  it('with Bearer and no valid token is refused, regardless of the cookie', async ({ service, ann }) => {
    for (const authorization of ['Bearer', 'Bearer ', 'bearer ghs_of-nobody']) {
      const { body } = await stranger(service).get(GET_SESSION, { authorization, ...cookieOf(ann.token) })
      assert.equal(body, null)
    }
  })
})

describe('the description of a device', () => {
  it.for([
    ['Edge on Windows', 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/150.0 Safari/537.36 Edg/150.0'],
    ['Safari on iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1'],
    ['Chrome on Android', 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0 Safari/537.36'],
    ['Command line', 'gatehouse/0.1 (linux)'],
    [null, 'something else'],
    [null, null],
  ] as const)('is %s', ([words, userAgent]) => assert.equal(deviceInWords(userAgent), words))
})
