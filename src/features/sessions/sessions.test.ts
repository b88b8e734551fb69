import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../test/service/it.ts'
import { Person, people, stranger } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'
import { deviceInWords } from '../mail/circumstances/device.ts'

const GET_SESSION = '/api/auth/get-session'

describe('a session', () => {
  it('is not extended before 27 days, and ends after 30', async ({ service, ann }) => {
    service.clock.advance({ days: 26, hours: 23, minutes: 59 })

    const answer = await ann.get(GET_SESSION)
    service.clock.advance({ days: 3, minutes: 1 })

    assert.equal(answer.body.user.id, ann.id)
    assert.deepEqual(sessionCookies(answer.headers), [])
    assert.equal((await ann.get(GET_SESSION)).body, null)
  })

  it('used on day 27 lasts 30 more days, and its cookie with it', async ({ service, ann }) => {
    service.clock.advance({ days: 27 })

    const refreshed = await ann.get(GET_SESSION)
    service.clock.advance({ days: 29, hours: 23, minutes: 59, seconds: 59 })
    const inTime = await ann.get('/api/auth/list-sessions', bearer(ann.token))

    assert.match(sessionCookies(refreshed.headers)[0] ?? '', /Max-Age=2592000/)
    assert.equal(inTime.status, 200)
  })

  it('not remembered has a cookie that ends with the browser, and no renewal makes it last', async () => {
    await using service = await startService({ env: { APP_DOMAIN: 'id.example.com' } })
    const { ann } = await people(service)
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
    assert.equal(
      sessionCookies(signedOut.headers, '__Host-').filter((line) => /Max-Age=0/.test(line)).length,
      2,
    )
  })

  it('remembered after one that was not has a lasting cookie again', async ({ service, ann }) => {
    const { email, password } = ann
    await ann.post('/api/auth/sign-in/email', { email, password, rememberMe: false })

    const again = await ann.post('/api/auth/sign-in/email', { email, password })
    service.clock.advance({ days: 27 })
    const renewed = await ann.get(GET_SESSION)

    assert.match(sessionCookies(again.headers)[0] ?? '', /Max-Age=2592000/)
    assert.match(sessionCookies(renewed.headers)[0] ?? '', /Max-Age=2592000/)
  })

  it('refreshed on day 27 and not used again ends 30 days later', async ({ service, ann }) => {
    service.clock.advance({ days: 27 })
    await ann.get(GET_SESSION)
    service.clock.advance({ days: 30 })

    assert.equal((await ann.get(GET_SESSION)).body, null)
  })

  it('used on day 26 ends on day 30, regardless of what was done before', async ({ service, ann }) => {
    for (let day = 1; day <= 26; day++) {
      service.clock.advance({ days: 1 })
      await ann.get(GET_SESSION)
    }
    service.clock.advance({ days: 4 })

    assert.equal((await ann.get(GET_SESSION)).body, null)
  })
})

describe('list-sessions', () => {
  it('shows device, place, times and which one is this', async () => {
    await using service = await startService({
      env: { TRUSTED_PROXIES: '127.0.0.0/8', CONTINENT_HEADER: 'cf-ipcontinent' },
    })
    const carl = stranger(service)
    await carl.signUp()
    await elsewhere(service, carl, {
      'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14.0; rv:140.0) Gecko/20100101 Firefox/140.0',
      'cf-ipcontinent': 'EU',
    })

    const { body } = await carl.get('/api/auth/list-sessions')

    assert.equal(body.length, 2)
    const other = body.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    assert.equal(other.device, 'Firefox on macOS')
    assert.equal(other.place, 'Europe')
    assert.equal(other.lastUsedAt, new Date(service.clock.now()).toISOString())
    assert.equal(body.filter(({ isCurrent }: { isCurrent: boolean }) => isCurrent).length, 1)
    assert.ok(!JSON.stringify(body).includes(carl.token))
  })

  it('leaves out what has expired', async ({ service, ann }) => {
    service.clock.advance({ days: 15 })
    await ann.signIn()
    service.clock.advance({ days: 15 })

    assert.equal((await ann.get('/api/auth/list-sessions')).body.length, 1)
  })

  it('needs a session', async ({ service }) => {
    const answer = await stranger(service).get('/api/auth/list-sessions')

    assert.deepEqual([answer.status, answer.body.code], [401, 'UNAUTHORIZED'])
  })
})

describe('revoke-session', () => {
  it('ends one by its reference, at once and in every process', async ({ service, ann }) => {
    const laptop = await elsewhere(service, ann)
    const reference = (await laptop.get(GET_SESSION)).body.session.token

    const answer = await ann.post('/api/auth/revoke-session', { token: reference })

    assert.deepEqual([answer.status, answer.body], [200, { status: true }])
    assert.equal((await laptop.get(GET_SESSION)).body, null)
    const there = await service.requestElsewhere(GET_SESSION, { headers: bearer(laptop.token) })
    assert.equal(await there.json(), null)
    assert.equal((await ann.get(GET_SESSION)).body.user.id, ann.id)
  })

  it("another person's session is 404, and stays", async ({ ann, ben }) => {
    const reference = (await ben.get(GET_SESSION)).body.session.token

    const answer = await ann.post('/api/auth/revoke-session', { token: reference })
    const unknown = await ann.post('/api/auth/revoke-session', { token: 'nobody' })

    assert.deepEqual([answer.status, answer.body], [unknown.status, unknown.body])
    assert.deepEqual([answer.status, answer.body.code], [404, 'NOT_FOUND'])
    assert.equal((await ben.get(GET_SESSION)).body.user.id, ben.id)
  })

  it('the secret is not accepted as a reference', async ({ ann }) => {
    assert.equal((await ann.post('/api/auth/revoke-session', { token: ann.token })).status, 404)
  })
})

describe('revoke-other-sessions', () => {
  it('ends all but this one', async ({ service, ann, ben }) => {
    const laptop = await elsewhere(service, ann)

    await ann.post('/api/auth/revoke-other-sessions')

    assert.equal((await laptop.get(GET_SESSION)).body, null)
    assert.equal((await ann.get(GET_SESSION)).body.user.id, ann.id)
    assert.equal((await ben.get(GET_SESSION)).body.user.id, ben.id)
  })
})

describe('revoke-sessions', () => {
  it('ends all, this one too', async ({ service, ann }) => {
    const laptop = await elsewhere(service, ann)

    const answer = await ann.post('/api/auth/revoke-sessions')

    assert.equal(answer.status, 200)
    assert.equal((await laptop.get(GET_SESSION)).body, null)
    assert.equal((await ann.get(GET_SESSION)).body, null)
  })
})

describe('an Authorization header of another scheme than Bearer', () => {
  for (const authorization of ['Basic dXNlcjpwYXNz', 'Digest x', 'ghs_token', '']) {
    it(`is as if it were absent: ${authorization || 'empty'}`, async ({ service, ann }) => {
      const cookie = `session=${ann.token}`

      const signedIn = await stranger(service).get(GET_SESSION, { authorization, cookie })
      const nobody = await stranger(service).get(GET_SESSION, { authorization })
      const refused = await stranger(service).post('/api/list_notifications', {}, { authorization })

      assert.equal(signedIn.body.user.id, ann.id)
      assert.equal(nobody.body, null)
      assert.deepEqual(
        [refused.status, refused.headers.get('www-authenticate')],
        [401, 'Bearer realm="gatehouse"'],
      )
    })
  }

  it('of Bearer without a valid token is refused, regardless of the cookie', async ({ service, ann }) => {
    const cookie = `session=${ann.token}`

    for (const authorization of ['Bearer', 'Bearer ', 'bearer ghs_of-nobody']) {
      const { body } = await stranger(service).get(GET_SESSION, { authorization, cookie })
      assert.equal(body, null)
    }
  })
})

describe('the description of a device', () => {
  const cases = [
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/150.0 Safari/537.36 Edg/150.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1', 'Safari on iPhone'],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/150.0 Safari/537.36', 'Chrome on Android'],
    ['gatehouse/0.1 (linux)', 'Command line'],
    ['something else', null],
    [null, null],
  ] as const
  for (const [userAgent, words] of cases) {
    it(`is ${words}`, () => assert.equal(deviceInWords(userAgent), words))
  }
})

async function elsewhere(service: Service, person: Person, headers: Record<string, string> = {}) {
  const other = new Person(service, person.email, person.password)
  await other.signIn(headers)
  return other
}

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` }
}

/** And what says that it ends with the browser. */
function sessionCookies(headers: Headers, prefix = ''): readonly string[] {
  const names = [`${prefix}session=`, `${prefix}dont_remember=`]
  return headers.getSetCookie().filter((cookie) => names.some((name) => cookie.startsWith(name)))
}

function attributesOf(cookie: string): string {
  return cookie.split('; ').slice(1).sort().join(', ')
}
