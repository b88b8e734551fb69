import assert from 'node:assert/strict'
import { describe } from 'vitest'
import {
  accountsIn,
  addressesIn,
  browserOf,
  LIST,
  REVOKE,
  referenceOf,
  SET_ACTIVE,
  signInAs,
  switchTo,
} from '../../../../test/service/accounts.ts'
import { assertRefused } from '../../../../test/service/answers.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { itWith } from '../../../../test/service/it.ts'
import { newcomer, Person, stranger } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'

const it = itWith({ authentication: { accounts_per_browser: 3 } })
const GET_SESSION = '/api/auth/get-session'

/** The ids of a user's living sessions. */
async function sessionsOf({ platform: { meta } }: Service, { id }: Person) {
  return (await meta.selectFrom('session').select('id').where('user_id', '=', id).execute()).map((row) => row.id)
}

async function whoIs(browser: Person): Promise<string | undefined> {
  return (await browser.get(GET_SESSION)).body?.user.email
}

function copyOf(service: Service, browser: Person): Person {
  const copy = new Person(service, browser.email, browser.password)
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
  return copy
}

describe('a sign-in in a browser that is signed in', () => {
  it('adds another user, and makes that one active', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)

    assert.deepEqual(await addressesIn(browser), [ben.email, ann.email])
    assert.equal(await whoIs(browser), ben.email)
  })

  it('replaces the session of the same user, active or not', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)
    const before = await referenceOf(browser, ann)

    await signInAs(browser, ann)
    await signInAs(browser, ann)

    assert.deepEqual(await addressesIn(browser), [ann.email, ben.email])
    assert.equal((await sessionsOf(service, ann)).includes(before), false)
    assert.equal((await sessionsOf(service, ann)).length, 2)
  })

  it('ends the least recently active one past the limit', async ({ service, ann, ben }) => {
    const carl = await newcomer(service)
    const dora = await newcomer(service, 'dora@example.com')
    const browser = await browserOf(service, ann, ben, carl)
    const ofBen = await referenceOf(browser, ben)
    await switchTo(browser, ann)

    await signInAs(browser, dora)

    assert.deepEqual(await addressesIn(browser), [dora.email, ann.email, carl.email])
    assert.equal((await sessionsOf(service, ben)).includes(ofBen), false)
  })

  it('by signing up adds as well', async ({ service, ann }) => {
    const browser = await browserOf(service, ann)
    const { email, password } = stranger(service)

    await browser.post('/api/auth/sign-up/email', { email, password, name: 'Carl' })

    assert.deepEqual(await addressesIn(browser), [email, ann.email])
  })

  it('leaves the others after a change of the password', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)

    const changed = await browser.post('/api/auth/change-password', {
      currentPassword: ben.password,
      newPassword: 'a quieter walk in the snow',
    })

    assert.equal(changed.status, 200)
    assert.deepEqual(await addressesIn(browser), [ben.email, ann.email])
  })

  it('drops those whose session has ended meanwhile', async ({ service, administrator, ann, ben }) => {
    const carl = await newcomer(service)
    const browser = await browserOf(service, ann, ben)
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' })

    assert.deepEqual(await addressesIn(browser), [ben.email])
    await signInAs(browser, carl)
    assert.deepEqual(await addressesIn(browser), [carl.email, ben.email])
  })

  it('keeps every account until the browser closes if one of them is not to be remembered', async ({
    service,
    ann,
    ben,
  }) => {
    const browser = await browserOf(service, ann)

    const forVisit = await signInAs(browser, ben, { rememberMe: false })
    const back = await switchTo(browser, ann)
    const again = await switchTo(browser, ben)

    const isForVisit = (headers: Headers) =>
      ['session', 'accounts'].map((name) => {
        const line = headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`))
        return line !== undefined && !/max-age/i.test(line)
      })
    assert.deepEqual(isForVisit(forVisit.headers), [true, true])
    assert.deepEqual(isForVisit(back.headers), [false, true])
    assert.deepEqual(isForVisit(again.headers), [true, true])
  })
})

describe('set-active', () => {
  it('returns session and user, and every later request is theirs', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)

    const { status, body, headers } = await switchTo(browser, ann)

    assert.deepEqual([status, body.user.email, body.session.userId], [200, ann.email, ann.id])
    assert.equal(headers.get('set-auth-token'), null)
    assert.equal(await whoIs(browser), ann.email)
    assert.deepEqual(await addressesIn(browser), [ann.email, ben.email])
  })

  it('of the active session changes nothing', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)

    const { status, headers } = await switchTo(browser, ben)

    assert.deepEqual([status, headers.getSetCookie().filter((line) => /^(session|accounts)=/.test(line))], [200, []])
  })

  it('refuses a session that this browser does not hold', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann)
    const other = await browserOf(service, ben, ann)

    for (const sessionToken of [await referenceOf(other, ben), await referenceOf(other, ann), ben.token, 'none'])
      for (const path of [SET_ACTIVE, REVOKE])
        assertRefused(await browser.post(path, { sessionToken }), 'INVALID_SESSION_TOKEN')
    assert.equal(await whoIs(browser), ann.email)
    assert.equal(await whoIs(other), ann.email)
  })

  it('refuses a session that has ended elsewhere, and leaves the active one', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)
    const sessionToken = await referenceOf(browser, ann)
    await ann.post('/api/auth/revoke-sessions')

    assertRefused(await browser.post(SET_ACTIVE, { sessionToken }), 'INVALID_SESSION_TOKEN')
    assert.deepEqual(await addressesIn(browser), [ben.email])
  })

  it('leads on for a browser whose active session was ended elsewhere', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)
    await ben.post('/api/auth/revoke-sessions')

    assert.equal(await whoIs(browser), undefined)
    assert.deepEqual(await addressesIn(browser), [ann.email])
    await switchTo(browser, ann)
    assert.deepEqual([await whoIs(browser), await addressesIn(browser)], [ann.email, [ann.email]])
  })

  it('does not make a session fresh', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann)
    service.clock.advance({ minutes: 20 })
    await signInAs(browser, ben)
    await switchTo(browser, ann)

    assertRefused(await browser.post('/api/auth/passkey/generate-register-options'), 'METHOD_NOT_ALLOWED')
    assertRefused(await browser.get('/api/auth/passkey/generate-register-options'), 'SESSION_NOT_FRESH')
  })
})

describe('revoke', () => {
  it('of the active account ends it, and the next one is active', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)
    const sessionToken = await referenceOf(browser, ben)

    const { status, body } = await browser.post(REVOKE, { sessionToken })

    assert.deepEqual([status, body], [200, { status: true }])
    assert.deepEqual([await whoIs(browser), await addressesIn(browser)], [ann.email, [ann.email]])
    assert.equal((await sessionsOf(service, ben)).includes(sessionToken), false)
  })

  it('of another account leaves the active one', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)
    const sessionToken = await referenceOf(browser, ann)

    await browser.post(REVOKE, { sessionToken })

    assert.deepEqual([await whoIs(browser), await addressesIn(browser)], [ben.email, [ben.email]])
    assert.equal((await sessionsOf(service, ann)).includes(sessionToken), false)
    assert.equal(browser.cookies.has('accounts'), false)
  })

  it('of the last account signs the browser out', async ({ service, ann }) => {
    const browser = await browserOf(service, ann)

    await browser.post(REVOKE, { sessionToken: await referenceOf(browser, ann) })

    assert.deepEqual([await whoIs(browser), await addressesIn(browser)], [undefined, []])
    assert.equal(browser.cookies.has('session'), false)
  })
})

describe('the end of an account', () => {
  it('by signing out is that of all in this browser, and of no other browser', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)
    const before = copyOf(service, browser)

    await browser.post('/api/auth/sign-out')

    assert.deepEqual([browser.cookies.has('session'), browser.cookies.has('accounts')], [false, false])
    assert.deepEqual([await whoIs(before), await addressesIn(before)], [undefined, []])
    assert.deepEqual([await whoIs(ann), await whoIs(ben)], [ann.email, ben.email])
  })

  it('by signing out is that of all, even if the active one was signed out elsewhere', async ({
    service,
    ann,
    ben,
  }) => {
    const browser = await browserOf(service, ann, ben)
    const ofAnn = await referenceOf(browser, ann)
    await ben.post('/api/auth/revoke-sessions')

    await browser.post('/api/auth/sign-out')

    assert.equal((await sessionsOf(service, ann)).includes(ofAnn), false)
    assert.equal(browser.cookies.has('accounts'), false)
  })

  it('by deletion or by signing out everywhere leads to the next one', async ({ service, ann, ben }) => {
    const carl = await newcomer(service)
    const browser = await browserOf(service, ann, ben, carl)

    await browser.post('/api/auth/delete-user', { password: carl.password })
    assert.deepEqual(await addressesIn(browser), [ben.email, ann.email])
    await browser.post('/api/auth/revoke-sessions')
    assert.deepEqual(await addressesIn(browser), [ann.email])
    await browser.post('/api/auth/revoke-session', { token: await referenceOf(browser, ann) })
    assert.deepEqual([await addressesIn(browser), browser.cookies.has('session')], [[], false])
  })
})

describe('x-account-id', () => {
  it('of another account is refused with 409, and its act is not done', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)

    for (const path of ['/api/auth/update-user', '/api/submit_feedback', '/api/auth/delete-user', '/api/auth/sign-out'])
      assertRefused(await browser.post(path, { name: 'Eve' }, { 'x-account-id': ann.id }), 'OTHER_ACCOUNT')
    assertRefused(await browser.get(GET_SESSION, { 'x-account-id': ann.id }), 'OTHER_ACCOUNT')
    assert.equal((await browser.get(GET_SESSION, { 'x-account-id': ben.id })).body.user.name, ben.email)
    assert.equal(await whoIs(browser), ben.email)
  })

  it('opens no stream of events of another account, by the header or in the address', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)
    await switchTo(browser, ann)

    assertRefused(await browser.get('/api/live', { 'x-account-id': ben.id }), 'OTHER_ACCOUNT')
    assertRefused(await browser.get(`/api/live?account_id=${ben.id}`), 'OTHER_ACCOUNT')
    assertRefused(await browser.get('/api/live?account_id='), 'INVALID_REQUEST', 'account_id')
    const own = await browser.send(`/api/live?account_id=${ann.id}`, { method: 'HEAD' })
    assert.equal(own.status, 200)
  })

  it('says nothing about a caller who is signed out', async ({ service, ann }) => {
    assertRefused(await stranger(service).post('/api/auth/update-user', {}, { 'x-account-id': ann.id }), 'UNAUTHORIZED')
  })
})

describe('the cookie of the other accounts', () => {
  it('is worth nothing beside another session', async ({ service, ann, ben }) => {
    const carl = await newcomer(service)
    const victim = await browserOf(service, ann, ben)
    const ofAnn = await referenceOf(victim, ann)
    const thief = await browserOf(service, carl)
    const none = stranger(service)

    for (const browser of [thief, none]) {
      browser.cookies.set('accounts', victim.cookies.get('accounts') ?? '')
      assert.deepEqual(await addressesIn(browser), browser === thief ? [carl.email] : [])
      assertRefused(await browser.post(SET_ACTIVE, { sessionToken: ofAnn }), 'INVALID_SESSION_TOKEN')
      assertRefused(await browser.post(REVOKE, { sessionToken: ofAnn }), 'INVALID_SESSION_TOKEN')
      await browser.post('/api/auth/sign-out')
    }
    assert.deepEqual(await addressesIn(victim), [ben.email, ann.email])
  })

  it('holds no token that can be read, and is small', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben, await newcomer(service))

    const cookie = browser.cookies.get('accounts') ?? ''
    assert.match(cookie, /^a1\.[\w-]+$/)
    assert.ok(cookie.length < 1_000, String(cookie.length))
    assert.doesNotMatch(JSON.stringify((await browser.get(LIST)).body), /ghs_/)
  })

  it('that is broken, foreign or too big is dropped', async ({ service, ann, ben }) => {
    const carl = await newcomer(service)
    await using other = await startService()
    const { secretBox } = service.platform
    const foreign = await browserOf(service, ann, ben)
    const purpose = 'accounts beside elsewhere'
    const broken = [
      'x',
      '',
      'a1.AAAA',
      `${foreign.cookies.get('accounts')}A`,
      'a1.'.padEnd(8_000, 'A'),
      other.platform.secretBox.seal(purpose, '[]'),
      secretBox.seal(purpose, '[]'),
      encodeURIComponent('{"token":"ghs_"}'),
    ]
    for (const cookie of broken) {
      const browser = await browserOf(service, carl)
      browser.cookies.set('accounts', cookie)

      assert.deepEqual(await addressesIn(browser), [carl.email], cookie)
      assert.equal((await signInAs(browser, ann)).status, 200)
      assert.deepEqual(await addressesIn(browser), [ann.email, carl.email])
    }
  })

  it('of a session that was signed out brings nothing back', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ann, ben)
    const kept = copyOf(service, browser)
    await browser.post(REVOKE, { sessionToken: await referenceOf(browser, ann) })

    assert.deepEqual(await addressesIn(kept), [ben.email])
  })
})

describe('two sign-ins at once in one browser', () => {
  it('leave a browser with one of them active, and nobody in the place of another', async ({ service, ann, ben }) => {
    const carl = await newcomer(service)
    const browser = await browserOf(service, ann)
    const copies = [copyOf(service, browser), copyOf(service, browser)] as const

    await Promise.all([signInAs(copies[0], ben), signInAs(copies[1], carl)])

    assert.deepEqual(await addressesIn(copies[0]), [ben.email, ann.email])
    assert.deepEqual(await addressesIn(copies[1]), [carl.email, ann.email])
  })

  it('as the same user leave one session of the browser', async ({ service, ann, ben }) => {
    const browser = await browserOf(service, ben)
    const copies = Array.from({ length: 5 }, () => copyOf(service, browser))

    const answers = await Promise.all(copies.map((copy) => signInAs(copy, ann)))

    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    for (const copy of copies) assert.deepEqual(await addressesIn(copy), [ann.email, ben.email])
  })
})

describe('the setting', () => {
  it('lowered to 1 leaves the active account only, and the next change ends the others', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const carl = await newcomer(service)
    const browser = await browserOf(service, ann, ben, carl)
    const [, ofBen, ofAnn] = (await accountsIn(browser)).map(({ session }) => session.token)
    await administrator.saveSettings('authentication', { accounts_per_browser: 1 })

    assert.deepEqual(await addressesIn(browser), [carl.email])
    assertRefused(await browser.post(SET_ACTIVE, { sessionToken: ofBen }), 'INVALID_SESSION_TOKEN')
    await signInAs(browser, carl)
    assert.deepEqual(await addressesIn(browser), [carl.email])
    const living = [...(await sessionsOf(service, ben)), ...(await sessionsOf(service, ann))]
    assert.deepEqual([living.includes(ofBen ?? ''), living.includes(ofAnn ?? '')], [false, false])
    assert.equal(browser.cookies.has('accounts'), false)
  })

  it('at 1 a sign-in ends the former session, also that of another user', async ({ service, ann, ben }) => {
    await changeSettings(service, 'authentication', { accounts_per_browser: 1 })
    const browser = await browserOf(service, ann)
    const ofAnn = await referenceOf(browser, ann)

    await signInAs(browser, ben)

    assert.deepEqual(await addressesIn(browser), [ben.email])
    assert.equal((await sessionsOf(service, ann)).includes(ofAnn), false)
    assert.equal(browser.cookies.has('accounts'), false)
  })

  it('refuses less than 1 and more than 5', async ({ administrator }) => {
    const { version } = (await administrator.post('/api/admin/get_authentication_config')).body

    for (const accounts_per_browser of [0, 6, 1.5, '2'])
      assertRefused(
        await administrator.post('/api/admin/update_authentication_config', {
          expected_version: version,
          accounts_per_browser,
        }),
        'INVALID_REQUEST',
        'accounts_per_browser',
      )
  })
})

describe('a hundred accounts', () => {
  it('in one browser leave as many as the settings allow', async ({ service, administrator }) => {
    await administrator.saveSettings('authentication', { accounts_per_browser: 5 })
    const browser = stranger(service)

    for (let each = 0; each < 100; each += 1) {
      const body = { email: `p${each}@example.com`, password: 'an owl under the roof', name: 'P' }
      assert.equal((await browser.post('/api/auth/sign-up/email', body)).status, 200)
    }

    assert.deepEqual(
      await addressesIn(browser),
      [99, 98, 97, 96, 95].map((each) => `p${each}@example.com`),
    )
    const { meta } = service.platform
    const living = await meta
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.user_id')
      .select('email')
      .execute()
    assert.equal(living.filter(({ email }) => /^p\d/.test(email)).length, 5)
    assert.ok((browser.cookies.get('accounts') ?? '').length < 1_000)
  })
})
