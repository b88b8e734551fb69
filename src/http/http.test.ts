import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { people, stranger } from '../../test/people.ts'
import { startService } from '../../test/service.ts'

describe('people', () => {
  it('sign up, are known by their cookie, and sign out', async () => {
    await using service = await startService()
    const { ann, administrator } = await people(service)

    const session = await ann.get('/api/auth/get-session')

    assert.equal(session.status, 200)
    assert.equal(session.body.user.email, 'ann@example.com')
    assert.equal((await administrator.get('/api/auth/get-session')).body.user.role, 'administrator')
    await ann.post('/api/auth/sign-out')
    assert.equal((await ann.get('/api/auth/get-session')).body, null)
  })
})

describe('every answer', () => {
  it('is JSON with a code, also for unknown paths, wrong methods and broken bodies', async () => {
    await using service = await startService()
    const carl = stranger(service)

    const unknown = await carl.get('/api/nowhere')
    const wrongMethod = await carl.get('/api/auth/sign-in/email')
    const broken = await carl.send('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{',
    })

    assert.deepEqual([unknown.status, unknown.body.code], [404, 'NOT_FOUND'])
    assert.deepEqual([wrongMethod.status, wrongMethod.body.code], [405, 'METHOD_NOT_ALLOWED'])
    assert.deepEqual([broken.status, broken.body.code], [400, 'INVALID_REQUEST'])
  })
})
