import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../service/it.ts'
import { Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const GET_SESSION = '/api/auth/get-session'
const FEEDBACK = '/api/submit_feedback'
const opinion = { type: 'idea', content: 'More owls.' }

async function statusElsewhere(service: Service, headers: Readonly<Record<string, string>>) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(opinion),
  }
  return (await service.requestElsewhere(FEEDBACK, init)).status
}

describe('33. the session cookie', () => {
  for (const [place, env, pattern] of [
    ['on localhost', {}, /^session=ghs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/],
    [
      'on https',
      { APP_DOMAIN: 'id.example.com' },
      /^__Host-session=ghs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ],
  ] as const) {
    it(`${place} is HttpOnly, Lax and for the whole site`, async () => {
      await using service = await startService({ env })

      const { headers } = await stranger(service).signUp()

      const cookie = headers.getSetCookie().find((one) => one.includes('session='))
      assert.match(cookie ?? '', pattern)
    })
  }
})

describe('34. a session id from before the sign-in', () => {
  it('is never the id after it, and each sign-in gives a new one', async ({ ann }) => {
    const planted = 'ghs_'.padEnd(47, 'x')
    ann.cookies.set('session', planted)

    const tokens = [(await ann.signIn()).body.token, (await ann.signIn()).body.token, planted]

    assert.equal(new Set(tokens).size, 3)
    assert.equal(ann.cookies.get('session'), tokens[1])
  })

  it('is over: a sign-in replaces the session of this browser, and no other', async ({ service, ann }) => {
    const elsewhere = new Person(service, ann.email, ann.password)
    await elsewhere.signIn()
    const former = ann.token

    await ann.post('/api/auth/sign-in/email', { email: ann.email, password: 'wrong' })
    assert.equal(await statusElsewhere(service, { cookie: `session=${former}` }), 200)
    await ann.signIn()

    assert.equal(await statusElsewhere(service, { cookie: `session=${former}` }), 401)
    assert.equal(await statusElsewhere(service, { cookie: `session=${elsewhere.token}` }), 200)
  })
})

describe('35. tokens', () => {
  it('have 256 random bits, and what the database has of them is useless', async ({ service, ann }) => {
    const rows = await service.platform.meta.selectFrom('session').selectAll().execute()

    assert.match(ann.token, /^ghs_[\w-]{43}$/)
    assert.equal(JSON.stringify(rows).includes(ann.token.slice(4)), false)
    for (const { id, token_hash } of rows) {
      for (const stolen of [id, token_hash, `ghs_${token_hash}`]) {
        const { status } = await stranger(service).post(FEEDBACK, opinion, {
          authorization: `Bearer ${stolen}`,
        })
        assert.equal(status, 401)
      }
    }
  })
})

describe('36. after sign-out', () => {
  it('the same cookie and the same bearer are 401 at once, in every process', async ({ service, ann }) => {
    const cookie = { cookie: `session=${ann.token}` }
    const bearer = { authorization: `Bearer ${ann.token}` }
    assert.deepEqual(
      [await statusElsewhere(service, cookie), await statusElsewhere(service, bearer)],
      [200, 200],
    )

    await ann.post('/api/auth/sign-out')

    assert.deepEqual(
      [await statusElsewhere(service, cookie), await statusElsewhere(service, bearer)],
      [401, 401],
    )
    assert.equal((await ann.post(FEEDBACK, opinion, bearer)).status, 401)
  })
})

describe('37. a session', () => {
  it('ends on day 30 if nothing was done on day 27 or after', async ({ service, ann }) => {
    const bearer = { authorization: `Bearer ${ann.token}` }
    service.clock.advance({ days: 26, hours: 23 })
    assert.equal((await ann.post(FEEDBACK, opinion, bearer)).status, 200)
    service.clock.advance({ days: 3, minutes: 59 })
    assert.equal((await ann.post(FEEDBACK, opinion, bearer)).status, 200)
    await using other = await startService()
    const { ben } = await people(other)
    other.clock.advance({ days: 26, hours: 23 })
    await ben.get(GET_SESSION)
    other.clock.advance({ days: 3, hours: 1 })

    assert.equal((await ben.post(FEEDBACK, opinion)).status, 401)
  })

  it('used after day 27 lasts thirty more days', async ({ service, ann }) => {
    service.clock.advance({ days: 27 })
    await ann.get(GET_SESSION)
    service.clock.advance({ days: 26, hours: 23 })

    assert.equal((await ann.post(FEEDBACK, opinion)).status, 200)
  })
})

describe('38. a user who is deleted', () => {
  it('has no session any more, at once and in every process', async ({ service, administrator, ann }) => {
    const { status } = await administrator.post('/api/admin/delete_user', { id: ann.id })

    assert.equal(status, 200)
    assert.equal(await statusElsewhere(service, { cookie: `session=${ann.token}` }), 401)
  })
})

describe('39. sessions of a user', () => {
  it('are listed and ended, one or all others; those of another are 404', async ({ service, ann, ben }) => {
    const elsewhere = new Person(service, ann.email, ann.password)
    await elsewhere.signIn()
    const [bens] = (await ben.get('/api/auth/list-sessions')).body

    const listed = await ann.get('/api/auth/list-sessions')
    const foreign = await ann.post('/api/auth/revoke-session', { token: bens.token })
    const others = await ann.post('/api/auth/revoke-other-sessions')

    assert.equal(listed.body.length, 2)
    assert.equal(JSON.stringify(listed.body).includes('ghs_'), false)
    assert.deepEqual([foreign.status, others.status], [404, 200])
    assert.equal((await elsewhere.get(GET_SESSION)).body, null)
    assert.notEqual((await ben.get(GET_SESSION)).body, null)
  })
})

describe('40. a form of another site, sent with a cookie', () => {
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded']) {
    it(`${type} is refused by every JSON route`, async ({ ann }) => {
      const { paths } = (await ann.get('/api/openapi.json')).body
      const json = Object.entries<Record<string, { requestBody?: { content: object } }>>(paths)
        .filter(([, { post }]) => Object.keys(post?.requestBody?.content ?? {}).includes('application/json'))
        .map(([path]) => path)

      const answers = await Promise.all(
        json.map((path) =>
          ann.send(path, { method: 'POST', headers: { 'content-type': type }, body: '{"a":"="}' }),
        ),
      )

      assert.ok(json.length > 20)
      // Email rules come before anything that was sent is looked at.
      const byRule = ['EMAIL_PROVIDER_UNAVAILABLE', 'EMAIL_CHANGE_DISABLED']
      const refusals = answers.filter(({ body }) => !byRule.includes(body.code))
      assert.ok(answers.length - refusals.length <= 5)
      assert.deepEqual(new Set(refusals.map(({ status }) => status)), new Set([415]))
      assert.notEqual((await ann.get(GET_SESSION)).body, null)
    })
  }
})

describe('41. a request with a cookie and a foreign origin', () => {
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'http://localhost:5173.evil.example' },
  ]) {
    it(`${JSON.stringify(headers)} is refused; a bearer needs no origin`, async ({ service, ann }) => {
      const bearer = { authorization: `Bearer ${ann.token}` }

      const byCookie = await ann.post(FEEDBACK, opinion, { ...headers })
      const own = await ann.post(FEEDBACK, opinion, { origin: 'http://localhost:5173' })
      const byBearer = await stranger(service).post(FEEDBACK, opinion, bearer)

      assert.deepEqual([byCookie.status, byCookie.body.code], [403, 'INVALID_ORIGIN'])
      assert.deepEqual([own.status, byBearer.status], [200, 200])
    })
  }
})

describe('refusals of rights and limits', () => {
  it('are in the log with code, path and address', async ({ service, ann }) => {
    await ann.post('/api/admin/list_users')

    const line = service.log.lines.findLast(({ message }) => message === 'refused')
    assert.deepEqual(
      [line?.level, line?.fields.code, line?.fields.path, line?.fields.address],
      ['info', 'FORBIDDEN', '/api/admin/list_users', '127.0.0.1'],
    )
  })
})

describe('a refused origin', () => {
  it('is in the log, for the operator whose product has it', async ({ service, ann }) => {
    const { body } = await ann.post(FEEDBACK, opinion, { origin: 'https://shop.example.com' })

    const line = service.log.lines.findLast(({ message }) => message === 'refused')
    assert.deepEqual(
      [line?.fields.code, line?.fields.path, line?.fields.origin],
      ['INVALID_ORIGIN', FEEDBACK, 'https://shop.example.com'],
    )
    assert.match(body.message, /TRUSTED_ORIGINS/)
  })
})

describe('42. reading from another origin', () => {
  it('is allowed to trusted origins alone, and never to all', async () => {
    await using service = await startService({ env: { TRUSTED_ORIGINS: 'https://app.example.com' } })
    const { ann } = await people(service)
    const allowed = async (origin: string) =>
      (await ann.get(GET_SESSION, { origin })).headers.get('access-control-allow-origin')

    assert.equal(await allowed('https://app.example.com'), 'https://app.example.com')
    for (const origin of [
      'https://evil.example',
      'null',
      'https://app.example.com.evil.example',
      'http://app.example.com',
    ]) {
      assert.equal(await allowed(origin), null)
    }
  })
})

describe('45. answers with tokens, sessions or user data', () => {
  it('carry no-store', async ({ service, administrator, ann }) => {
    const answers = [
      await ann.signIn(),
      await ann.get(GET_SESSION),
      await ann.get('/api/auth/list-sessions'),
      await ann.post('/api/list_notifications'),
      await ann.post('/api/list_grants'),
      await administrator.post('/api/admin/get_authentication_config'),
      await ann.post('/api/admin/get_authentication_config'),
      await stranger(service).post('/api/list_notifications'),
    ]

    for (const { headers } of answers) assert.equal(headers.get('cache-control'), 'no-store')
  })
})
