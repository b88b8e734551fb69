import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { linkVia, signInVia } from '../../providers/journey.ts'
import { assertRefused, statuses } from '../../service/answers.ts'
import { addPasskey } from '../../service/devices/security-key.ts'
import { grantFor } from '../../service/grants.ts'
import { type Person, stranger } from '../../service/people.ts'
import { it } from '../support/house.ts'

const confirm = (person: Person, password: unknown = person.password) => person.post('/api/auth/confirm', { password })
const exported = (person: Person) => person.post('/api/export_account')

describe('checklist 70: acts that can lock the owner out', () => {
  it.for([
    ['/api/auth/link-social', { provider: 'community' }],
    ['/api/auth/oauth2/link', { providerId: 'community' }],
    ['/api/auth/unlink-account', { providerId: 'credential' }],
    ['/api/export_account', {}],
  ] as const)('%s needs a session that was confirmed within 15 minutes', async ([path, body], { service, ann }) => {
    await linkVia(ann, 'community')
    service.clock.advance({ minutes: 15, seconds: 1 })

    const stale = await ann.post(path, body)
    const confirmed = await confirm(ann)
    const fresh = await ann.post(path, body)

    assertRefused(stale, 'SESSION_NOT_FRESH')
    assert.deepEqual([confirmed.status, confirmed.body], [200, { status: true }])
    assert.equal(fresh.status, 200)
  })

  it('a wrong password confirms nothing, and guesses are counted', async ({ service, ann }) => {
    service.clock.advance({ hours: 1 })

    const wrong = []
    for (let i = 0; i < 11; i++) wrong.push(await confirm(ann, 'not it'))

    assert.deepEqual(statuses(wrong), [...Array(10).fill(401), 429])
    assertRefused(await exported(ann), 'SESSION_NOT_FRESH')
  })

  it('a confirmation is for this session alone, and 15 minutes', async ({ service, ann, browser }) => {
    const elsewhere = browser()
    await elsewhere.signIn()
    service.clock.advance({ hours: 1 })
    await confirm(ann)

    const other = await exported(elsewhere)
    service.clock.advance({ minutes: 15 })
    const inTime = await exported(ann)
    service.clock.advance({ seconds: 1 })

    assert.deepEqual(statuses([other, inTime, await exported(ann)]), [403, 200, 403])
  })

  it('a change of a factor needs a session that was confirmed within 15 minutes', async ({
    service,
    ann,
    key,
    app: _,
    newKey,
  }) => {
    await addPasskey(ann, key)
    const [{ id }] = (await ann.get('/api/auth/passkey/list-user-passkeys')).body
    service.clock.advance({ minutes: 12 })
    const { body: options } = await ann.get('/api/auth/passkey/generate-register-options')
    const response = newKey().make(options)
    service.clock.advance({ minutes: 4 })

    const stale = [await ann.get('/api/auth/passkey/generate-register-options')]
    for (const path of ['enable', 'disable', 'generate-backup-codes', 'get-totp-uri'])
      stale.push(await ann.post(`/api/auth/two-factor/${path}`))
    stale.push(await ann.post('/api/auth/passkey/verify-registration', { response }))
    stale.push(await ann.post('/api/auth/passkey/delete-passkey', { id }))
    await confirm(ann)
    const fresh = await ann.post('/api/auth/passkey/delete-passkey', { id })

    for (const answer of stale) assertRefused(answer, 'SESSION_NOT_FRESH')
    assert.equal(fresh.status, 200)
  })

  it('the password in the deletion itself counts as a confirmation', async ({ service, ann }) => {
    service.clock.advance({ hours: 1 })

    const wrong = await ann.post('/api/auth/delete-user', { password: 'not it' })
    const right = await ann.post('/api/auth/delete-user', { password: ann.password })

    assert.deepEqual(statuses([wrong, right]), [401, 200])
  })

  it('a user without a password deletes the account in a fresh session only', async ({ service }) => {
    const carl = stranger(service)
    await signInVia(carl, 'community')
    service.clock.advance({ minutes: 16 })

    const stale = await carl.post('/api/auth/delete-user')
    await signInVia(carl, 'community')
    const fresh = await carl.post('/api/auth/delete-user')

    assertRefused(stale, 'SESSION_NOT_FRESH')
    assert.equal(fresh.status, 200)
  })

  it('a grant neither exports nor confirms', async ({ ann }) => {
    const tool = await grantFor(ann, 'account:profile:read')

    assertRefused(await tool.post('/api/export_account'), 'FORBIDDEN')
    assertRefused(await tool.post('/api/auth/confirm', { password: ann.password }), 'FORBIDDEN')
  })

  it('confirm refuses bad input and callers without a session', async ({ service, ann }) => {
    assertRefused(await confirm(ann, 7), 'INVALID_REQUEST', 'password')
    assertRefused(await confirm(stranger(service)), 'UNAUTHORIZED')
  })
})
