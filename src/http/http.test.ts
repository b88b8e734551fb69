import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../test/service/it.ts'
import { stranger } from '../../test/service/people.ts'
import { startService } from '../../test/service/service.ts'
import type { Issue } from '../rules/refusal.ts'

const json = { 'content-type': 'application/json' }

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
})
