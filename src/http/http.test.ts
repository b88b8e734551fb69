import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../test/service/it.ts'
import { stranger } from '../../test/service/people.ts'
import { type Service, startService } from '../../test/service/service.ts'
import type { Issue } from '../rules/refusal.ts'

const json = { 'content-type': 'application/json' }
const signOut = (service: Service, cookie: string, headers: Record<string, string>, body = '{}') =>
  service.request('http://localhost:5173/api/auth/sign-out', {
    method: 'POST',
    headers: { cookie, host: 'localhost:5173', ...json, ...headers },
    body,
  })

describe('every response', () => {
  it('is JSON with a code, also for unknown paths, wrong methods and broken bodies', async ({ service }) => {
    const carl = stranger(service)

    const unknown = await carl.get('/api/nowhere')
    const outside = await carl.get('/nowhere')
    const wrongMethod = await carl.get('/api/auth/sign-in/email')
    const broken = await carl.send('/api/auth/sign-in/email', { method: 'POST', headers: json, body: '{' })
    const wrongShape = await carl.post('/api/auth/sign-in/email', { email: 7 })

    assert.deepEqual([unknown.status, unknown.body.code], [404, 'NOT_FOUND'])
    assert.deepEqual([outside.status, outside.body.code], [404, 'NOT_FOUND'])
    assert.deepEqual([wrongMethod.status, wrongMethod.body.code], [405, 'METHOD_NOT_ALLOWED'])
    assert.equal(wrongMethod.headers.get('allow'), 'POST')
    assert.deepEqual([broken.status, broken.body.code], [400, 'INVALID_REQUEST'])
    assert.deepEqual([wrongShape.status, wrongShape.body.code], [400, 'INVALID_REQUEST'])
    assert.equal(wrongShape.body.issues[0].path, 'email')
  })

  it('says which part of the input is invalid, wherever it was sent', async ({ ann }) => {
    const feedback = { type: 'idea', content: 'More boats' }
    const request = { client_id: 'cli-client', redirect_uri: 'https://shop.example/callback' }

    const answers = [
      await ann.send('/api/submit_feedback', { method: 'POST', headers: json, body: '{' }),
      await ann.post('/api/submit_feedback', feedback, { 'idempotency-key': 'k'.repeat(256) }),
      await ann.get('/api/verify?scope=reports'),
      await ann.post('/api/oauth/begin_authorization', { ...request, client_id: 'nobody' }),
      await ann.post('/api/oauth/begin_authorization', request),
    ]

    const shown = answers.map(({ body }) => [body.code, body.issues?.map(({ path }: Issue) => path)])
    assert.deepEqual(shown, [
      ['INVALID_REQUEST', ['']],
      ['INVALID_REQUEST', ['idempotency-key']],
      ['INVALID_REQUEST', ['scope']],
      ['INVALID_REQUEST', ['client_id']],
      ['INVALID_REQUEST', ['redirect_uri']],
    ])
  })

  it('is 415 for a body that is not JSON, and 413 for one over 16 KiB', async ({ service }) => {
    const carl = stranger(service)
    const large = JSON.stringify({ email: 'x'.repeat(16 * 1024) })

    const send = (headers: Record<string, string>, body: string) =>
      carl.send('/api/auth/sign-in/email', { method: 'POST', headers, body })

    const text = await send({ 'content-type': 'text/plain' }, '{}')
    const tooLarge = await send(json, large)

    assert.deepEqual([text.status, text.body.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
    assert.deepEqual([tooLarge.status, tooLarge.body.code], [413, 'PAYLOAD_TOO_LARGE'])
  })

  it('is 500 INTERNAL_ERROR for a bug of ours, without its message or stack, which go to the log', async () => {
    const passwords = {
      ...{ waiting: 0, isForeign: () => false, refuseIfFull: () => undefined, end: () => undefined },
      hash: async () => 'x',
      verify: () => Promise.reject(new Error('secret inner words')),
    }
    await using service = await startService({ platform: { passwords } })

    const answer = await stranger(service).signIn()

    assert.deepEqual([answer.status, answer.body.code], [500, 'INTERNAL_ERROR'])
    assert.doesNotMatch(JSON.stringify(answer.body), /secret inner words|at /)
    const failure = service.log.lines.find(({ level }) => level === 'error')
    assert.equal(failure?.fields.requestId, answer.headers.get('x-request-id'))
  })

  it('carries a request id, the caller’s own if it is well-formed', async ({ service }) => {
    const carl = stranger(service)

    const named = await carl.get('/api/health', { 'x-request-id': 'trace-1.a_b' })
    const forged = await carl.get('/api/health', { 'x-request-id': 'a b<script>' })

    assert.equal(named.headers.get('x-request-id'), 'trace-1.a_b')
    assert.match(forged.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
  })

  it('forbids sniffing, framing and caching', async ({ ann }) => {
    const { headers } = await ann.get('/api/auth/get-session')

    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })
})

describe('a request with cookies that changes something', () => {
  const form = (type: string) => ({ 'content-type': type })
  it.for([
    ['from a foreign origin', { origin: 'https://evil.example' }, 403, 'INVALID_ORIGIN'],
    ['from an opaque origin', { origin: 'null' }, 403, 'INVALID_ORIGIN'],
    ['marked cross-site by the browser', { 'sec-fetch-site': 'cross-site' }, 403, 'INVALID_ORIGIN'],
    ['sent as a text form', form('text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['sent as a form', form('application/x-www-form-urlencoded'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['sent as multipart', form('multipart/form-data; boundary=x'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ] as [string, Record<string, string>, number, string][])(
    '%s is refused',
    async ([, headers, status, code], { service, ann }) => {
      const answer = await signOut(service, `session=${ann.token}`, headers)

      const body = (await answer.json()) as { code: string }
      assert.deepEqual([answer.status, body.code], [status, code])
      assert.equal((await ann.get('/api/auth/get-session')).body.user.id, ann.id)
    },
  )
})

describe('a trusted origin', () => {
  it.override('options', { env: { TRUSTED_ORIGINS: 'https://friend.example' } })

  it.for(['http://localhost:5173', 'https://friend.example'])(
    'and its own change something with cookies: %s',
    async (origin, { service, ann }) => {
      assert.equal((await signOut(service, `session=${ann.token}`, { origin })).status, 200)
    },
  )

  it('alone reads from elsewhere, and may see the bookmark', async ({ service }) => {
    const readFrom = async (origin: string) =>
      (await service.request('/api/health', { headers: { origin } })).headers

    const [friend, foreigner] = [
      await readFrom('https://friend.example'),
      await readFrom('https://evil.example'),
    ]

    assert.equal(friend.get('access-control-allow-origin'), 'https://friend.example')
    assert.match(friend.get('access-control-expose-headers') ?? '', /x-db-meta-bookmark/)
    assert.equal(foreigner.get('access-control-allow-origin'), null)
  })
})

describe('the consistency bookmark', () => {
  it('is sent in header and cookie on every /api route, even if the handler refuses', async ({ ann }) => {
    for (const path of ['/api/health', '/api/auth/get-session', '/api/auth/sign-in/email', '/api/nowhere']) {
      const { headers } = await ann.get(path)
      const bookmark = headers.get('x-db-meta-bookmark')
      assert.ok(bookmark)
      const cookie = headers.getSetCookie().find((line) => line.startsWith('db_meta_bookmark='))
      assert.match(cookie ?? '', /HttpOnly/)
      assert.match(cookie ?? '', /SameSite=Lax/)
      assert.equal(decodeURIComponent(/=([^;]*)/.exec(cookie ?? '')?.[1] ?? ''), bookmark)
    }
  })

  it('grows with what a signed-in caller writes', async ({ service }) => {
    const carl = stranger(service)
    const signedUp = await carl.signUp()
    const before = signedUp.headers.get('x-db-meta-bookmark')

    await carl.post('/api/submit_feedback', { type: 'idea', content: 'More owls.' })
    const { headers } = await carl.post('/api/auth/update-user', { name: 'Carl' })

    assert.match(before ?? '', /^meta=/)
    assert.notEqual(headers.get('x-db-meta-bookmark'), before)
  })

  it('that makes no sense reads from the primary and is never an error', async ({ ann }) => {
    const epoch = 'meta=99999-FFFFFFFF/FFFFFFFF'
    for (const bookmark of ['garbage', 'meta=', '%%%', epoch, 'x'.repeat(4000), 'a=1~b=2~c=3']) {
      const { status, body } = await ann.get('/api/auth/get-session', { 'x-db-meta-bookmark': bookmark })
      assert.deepEqual([status, body.user.id], [200, ann.id], bookmark.slice(0, 30))
    }
  })
})
