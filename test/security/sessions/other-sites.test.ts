import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../service/answers.ts'
import { bearer } from '../../service/applications.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

const GET_SESSION = '/api/auth/get-session'
const FEEDBACK = '/api/submit_feedback'
const opinion = { type: 'idea', content: 'More owls.' }

describe('40. a form of another site, sent with a cookie', () => {
  it.for(['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded'])(
    '%s is refused by every JSON route',
    async (type, { ann }) => {
      const { paths } = (await ann.get('/api/openapi.json')).body
      const json = Object.entries<Record<string, { requestBody?: { content: object } }>>(paths)
        .filter(([, { post }]) => Object.keys(post?.requestBody?.content ?? {}).includes('application/json'))
        .map(([path]) => path)

      const form = { method: 'POST', headers: { 'content-type': type }, body: '{"a":"="}' }
      const answers = await Promise.all(json.map((path) => ann.send(path, form)))

      assert.ok(json.length > 20)
      // Email rules, and clients' registration that is off, come before anything that was sent is looked at.
      const byRule = ['EMAIL_PROVIDER_UNAVAILABLE', 'EMAIL_CHANGE_DISABLED', 'access_denied']
      const refusals = answers.filter(({ body }) => !byRule.includes(body.code ?? body.error))
      assert.ok(answers.length - refusals.length <= 7)
      assert.deepEqual(new Set(statuses(refusals)), new Set([415]))
      assert.notEqual((await ann.get(GET_SESSION)).body, null)
    },
  )
})

describe('41. a request with a cookie and a foreign origin', () => {
  it.for([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'ftp://localhost:5173' },
    { origin: 'gopher://localhost:5173' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'http://localhost:5173.evil.example' },
  ] as readonly Readonly<Record<string, string>>[])(
    '%j is refused; a bearer needs no origin',
    async (headers, { service, ann }) => {
      const byCookie = await ann.post(FEEDBACK, opinion, headers)
      const own = await ann.post(FEEDBACK, opinion, { origin: 'http://localhost:5173' })
      const byBearer = await stranger(service).post(FEEDBACK, opinion, { ...headers, ...bearer(ann.token) })

      assertRefused(byCookie, 'INVALID_ORIGIN')
      assert.deepEqual(statuses([own, byBearer]), [200, 200])
    },
  )
})

describe('a refusal in the log', () => {
  it('has code, path and address at debug', async ({ service, ann }) => {
    await ann.post('/api/admin/list_users')

    const line = service.log.lines.findLast(({ message }) => message === 'refused')
    assert.deepEqual(
      [line?.level, line?.fields.code, line?.fields.path, line?.fields.address],
      ['debug', 'FORBIDDEN', '/api/admin/list_users', '127.0.0.1'],
    )
  })

  it('of an origin has it, for the operator whose product it is', async ({ service, ann }) => {
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
  it.override('options', { env: { TRUSTED_ORIGINS: 'https://app.example.com' } })

  it.for([
    ['https://app.example.com', 'https://app.example.com'],
    ['https://evil.example', null],
    ['null', null],
    ['https://app.example.com.evil.example', null],
    ['http://app.example.com', null],
  ] as const)('is allowed to trusted origins alone, and never to all: %s', async ([origin, allowed], { ann }) => {
    const { headers } = await ann.get(GET_SESSION, { origin })

    assert.equal(headers.get('access-control-allow-origin'), allowed)
    if (allowed) assert.match(headers.get('access-control-expose-headers') ?? '', /x-db-meta-bookmark/)
  })

  it('is not decided by what the browser has kept of a picture that was shown', async ({ administrator }) => {
    const value = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>').toString('base64')
    await administrator.saveSettings('brand', { logo: { action: 'replace', value } })

    for (const path of ['/api/brand/logo', '/api/oauth/jwks']) {
      const { headers } = await administrator.get(path)
      assert.match(headers.get('cache-control') ?? '', /max-age=300/)
      assert.equal(headers.get('vary'), 'Origin')
    }
  })

  it.for(['http://localhost:5173', 'https://app.example.com'])(
    'goes with changing something there: %s',
    async (origin, { ann }) => {
      assert.equal((await ann.post('/api/auth/sign-out', {}, { origin })).status, 200)
    },
  )
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
