import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { enableProvider, linkVia, signInVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { addApp } from '../../service/devices/factors.ts'
import { addPasskey, SecurityKey } from '../../service/devices/security-key.ts'
import { grantFor } from '../../service/grants.ts'
import { Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

async function world() {
  const forum = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ann' } })
  const service = await startService({ env: { COMMUNITY_AUTH_URL: forum.url } })
  await enableProvider(service, 'community')
  return {
    service,
    ...(await people(service)),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await forum[Symbol.asyncDispose]()
    },
  }
}

const ACTS = [
  { path: '/api/auth/link-social', body: { provider: 'community' } },
  { path: '/api/auth/oauth2/link', body: { providerId: 'community' } },
  { path: '/api/auth/unlink-account', body: { providerId: 'credential' } },
  { path: '/api/export_account', body: {} },
] as const

describe('checklist 70: acts that can lock the owner out', () => {
  for (const { path, body } of ACTS) {
    it(`${path} needs a session that was confirmed within 15 minutes`, async () => {
      await using w = await world()
      await linkVia(w.ann, 'community')
      w.service.clock.advance({ minutes: 15, seconds: 1 })

      const stale = await w.ann.post(path, body)
      const confirmed = await w.ann.post('/api/auth/confirm', { password: w.ann.password })
      const fresh = await w.ann.post(path, body)

      assert.deepEqual([stale.status, stale.body.code], [403, 'SESSION_NOT_FRESH'])
      assert.deepEqual([confirmed.status, confirmed.body], [200, { status: true }])
      assert.equal(fresh.status, 200)
    })
  }

  it('a wrong password confirms nothing, and guesses are counted', async () => {
    await using w = await world()
    w.service.clock.advance({ hours: 1 })

    const wrong = []
    for (let i = 0; i < 11; i++) wrong.push(await w.ann.post('/api/auth/confirm', { password: 'not it' }))
    const exported = await w.ann.post('/api/export_account')

    assert.deepEqual([wrong[0]?.status, wrong[10]?.status], [401, 429])
    assert.equal(exported.body.code, 'SESSION_NOT_FRESH')
  })

  it('a confirmation is for this session alone, and ends after 15 minutes', async () => {
    await using w = await world()
    const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
    await elsewhere.signIn()
    w.service.clock.advance({ hours: 1 })
    await w.ann.post('/api/auth/confirm', { password: w.ann.password })

    const other = await elsewhere.post('/api/export_account')
    w.service.clock.advance({ minutes: 15 })
    const inTime = await w.ann.post('/api/export_account')
    w.service.clock.advance({ seconds: 1 })
    const late = await w.ann.post('/api/export_account')

    assert.deepEqual([other.status, inTime.status, late.status], [403, 200, 403])
  })

  it('so do those that change a factor', async () => {
    await using w = await world()
    const { baseUrl } = w.service.config
    await addPasskey(w.ann, new SecurityKey(baseUrl))
    await addApp(w.service, w.ann)
    const { body: passkeys } = await w.ann.get('/api/auth/passkey/list-user-passkeys')
    w.service.clock.advance({ minutes: 12 })
    const { body: options } = await w.ann.get('/api/auth/passkey/generate-register-options')
    w.service.clock.advance({ minutes: 4 })

    const { id } = passkeys[0]
    const stale = [
      await w.ann.post('/api/auth/two-factor/enable'),
      await w.ann.post('/api/auth/two-factor/disable'),
      await w.ann.post('/api/auth/two-factor/generate-backup-codes'),
      await w.ann.post('/api/auth/two-factor/get-totp-uri'),
      await w.ann.get('/api/auth/passkey/generate-register-options'),
      await w.ann.post('/api/auth/passkey/verify-registration', {
        response: new SecurityKey(baseUrl).make(options),
      }),
      await w.ann.post('/api/auth/passkey/delete-passkey', { id }),
    ]
    await w.ann.post('/api/auth/confirm', { password: w.ann.password })
    const fresh = await w.ann.post('/api/auth/passkey/delete-passkey', { id })

    for (const { status, body } of stale) assert.deepEqual([status, body.code], [403, 'SESSION_NOT_FRESH'])
    assert.equal(fresh.status, 200)
  })

  it('the password in the deletion itself counts as a confirmation', async () => {
    await using w = await world()
    w.service.clock.advance({ hours: 1 })

    const wrong = await w.ann.post('/api/auth/delete-user', { password: 'not it' })
    const right = await w.ann.post('/api/auth/delete-user', { password: w.ann.password })

    assert.deepEqual([wrong.status, right.status], [401, 200])
  })

  it('a user without a password deletes the account in a fresh session only', async () => {
    await using w = await world()
    const carl = stranger(w.service)
    await signInVia(carl, 'community')
    w.service.clock.advance({ minutes: 16 })

    const stale = await carl.post('/api/auth/delete-user')
    await signInVia(carl, 'community')
    const fresh = await carl.post('/api/auth/delete-user')

    assert.deepEqual([stale.body.code, fresh.status], ['SESSION_NOT_FRESH', 200])
  })

  it('a grant neither exports nor confirms', async () => {
    await using w = await world()
    const tool = await grantFor(w.ann, 'account:profile:read')

    const exported = await tool.post('/api/export_account')
    const confirmed = await tool.post('/api/auth/confirm', { password: w.ann.password })

    assert.deepEqual([exported.status, exported.body.code], [403, 'FORBIDDEN'])
    assert.equal(confirmed.status, 403)
  })

  it('confirm refuses bad input and callers without a session', async () => {
    await using w = await world()

    const bad = await w.ann.post('/api/auth/confirm', { password: 7 })
    const nobody = await stranger(w.service).post('/api/auth/confirm', { password: 'x' })

    assert.deepEqual([bad.status, nobody.status], [400, 401])
  })
})
