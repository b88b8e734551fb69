import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { openPatiently, whileHeld, whileUserIsHeld } from '../postgres/held-user.ts'
import { beginLink, consent, land } from '../providers/journey.ts'
import { decideDevice, poll, startDevice } from '../service/grants.ts'
import type { Answer, Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'
import { GET_SESSION, it, NEW_PASSWORD } from './support/house.ts'

/** How many rows of the log have this action, and how many this type. */
async function told({ platform: { meta } }: Service, action: string, type = '') {
  const rows = await meta.primary.selectFrom('event').select(['action', 'type']).execute()
  return [rows.filter((row) => row.action === action).length, rows.filter((row) => row.type === type).length]
}

/** Without those that bring a code. */
async function letters({ mail }: Service, { email }: Person): Promise<number> {
  return (await mail.sentTo(email)).filter(({ text }) => !/\d{6}/.test(text)).length
}

describe('a sign-out between two statements of an act', () => {
  it.override('more', { open: openPatiently })

  it('leaves a personal token with its entry, event and letter, or none', async ({ service, ann }) => {
    const token = { name: 'CI', scopes: ['operations:notifications:read'], expires_in_days: 30 }
    const lettersBefore = await letters(service, ann)

    const [made] = await whileHeld(service, { sql: 'lock table access_token in share mode' }, [
      () => ann.post('/api/create_personal_token', token),
      () => ann.post('/api/auth/sign-out'),
    ])

    const { meta } = service.platform
    const tokens = await meta.primary.selectFrom('access_token').select('token_hash').execute()
    const sent = (await letters(service, ann)) - lettersBefore
    const seen = [tokens.length, ...(await told(service, 'personal_token.created', 'grant.created')), sent]
    assert.deepEqual(seen, made?.status === 200 ? [1, 1, 1, 1] : [0, 0, 0, 0])
  })

  it('leaves an approval with its audit entry and letter, or none of them', async ({ service, ann, ben }) => {
    const device = await startDevice(ann, 'account:profile:read')
    const lettersBefore = await letters(service, ann)

    const [decided] = await whileHeld(service, { sql: 'lock table authorization_request in share mode' }, [
      () => decideDevice(ann, device.body.user_code, true),
      () => ann.post('/api/auth/sign-out'),
    ])

    const [entries] = await told(service, 'authorization.approved', 'grant.created')
    const sent = (await letters(service, ann)) - lettersBefore
    const polled = await poll(ben, device.body.device_code)
    const isApproved = decided?.status === 200
    assert.deepEqual([polled.status, entries, sent], isApproved ? [200, 1, 1] : [400, 0, 0])
  })

  it('leaves a linked account exactly if the page says so', async ({ service, ann }) => {
    const callback = await consent(await beginLink(ann, 'community'))
    const sql = `insert into account (id, user_id, provider, provider_account_id, created_at, updated_at)
      values ('other', $1, 'community', '8', 0, 0)`

    const [landed] = await whileHeld(service, { sql, values: [ann.id] }, [
      () => land(ann, callback),
      async () => (await ann.post('/api/auth/sign-out')).body,
    ])

    const accounts = await service.platform.meta.primary.selectFrom('account').select('provider').execute()
    const linked = accounts.filter(({ provider }) => provider === 'community')
    assert.equal(linked.length, landed === '/' ? 1 : 0)
  })
})

function changePassword(person: Person, newPassword = NEW_PASSWORD) {
  return person.post('/api/auth/change-password', { currentPassword: person.password, newPassword })
}

describe('a passkey', () => {
  it.override('more', { open: openPatiently })

  it('of a user who is signed out is added if the answer is yes', async ({
    service,
    administrator,
    ann,
    key,
  }) => {
    const { body: options } = await ann.get('/api/auth/passkey/generate-register-options')

    const [, added] = await whileUserIsHeld<Answer<{ readonly code?: string }>>(service, ann.id, [
      () => administrator.post('/api/admin/revoke_user_sessions', { id: ann.id }),
      () => ann.post('/api/auth/passkey/verify-registration', { response: key.make(options) }),
    ])

    const { meta } = service.platform
    const passkeys = await meta.primary.selectFrom('passkey').select('id').execute()
    const told = added?.status === 200 ? 'added' : added?.body.code
    assert.equal(told, passkeys.length === 1 ? 'added' : 'UNAUTHORIZED')
  })
})

describe('a change of the password', () => {
  it.override('more', { open: openPatiently })

  it('by a user who is signed out opens no session', async ({ service, administrator, ann }) => {
    const [, changed] = await whileUserIsHeld<Answer<unknown>>(service, ann.id, [
      () => administrator.post('/api/admin/revoke_user_sessions', { id: ann.id }),
      () => changePassword(ann),
    ])

    const [entries] = await told(service, 'user.change_password')
    assert.equal((await ann.get(GET_SESSION)).body, null)
    assert.ok([200, 401].includes(changed?.status ?? 0), String(changed?.status))
    assert.equal(entries, changed?.status === 200 ? 1 : 0)
  })

  it('is in the log once for each that happened, also of two at once', async ({ service, ann, browser }) => {
    const elsewhere = browser()
    await elsewhere.signIn()

    const answers = await whileUserIsHeld(service, ann.id, [
      () => changePassword(ann),
      () => changePassword(elsewhere, 'the loudest walk in the snow'),
    ])

    const [entries] = await told(service, 'user.change_password')
    assert.deepEqual([entries, answers.filter(({ status }) => status === 200).length], [1, 1])
  })
})
