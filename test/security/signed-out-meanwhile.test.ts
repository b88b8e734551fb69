import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { openPatiently, whileHeld, whileUserIsHeld } from '../postgres/held-user.ts'
import { beginLink, consent, enableProvider, land } from '../providers/journey.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import { SecurityKey } from '../service/devices/security-key.ts'
import { decideDevice, poll, startDevice } from '../service/grants.ts'
import { type Answer, Person, people } from '../service/people.ts'
import { type Service, startService } from '../service/service.ts'
import { world } from './support/races.ts'

/** How many rows of the log have this action, and how many this type. */
async function told(
  { platform: { meta } }: Service,
  action: string,
  type: string,
): Promise<readonly number[]> {
  const rows = await meta.primary.selectFrom('event').select(['action', 'type']).execute()
  return [rows.filter((row) => row.action === action).length, rows.filter((row) => row.type === type).length]
}

async function letters({ mail }: Service, address: string): Promise<number> {
  return (await mail.sentTo(address)).filter(({ text }) => !/\d{6}/.test(text)).length
}

describe('a sign-out between two statements of an act', () => {
  it('leaves a personal token with its audit entry, event and letter, or none of them', async () => {
    await using w = await world()
    const token = { name: 'CI', scopes: ['operations:notifications:read'], expires_in_days: 30 }
    const lettersBefore = await letters(w.service, w.ann.email)

    const [made] = await whileHeld(w.service, { sql: 'lock table access_token in share mode' }, [
      () => w.ann.post('/api/create_personal_token', token),
      () => w.ann.post('/api/auth/sign-out'),
    ])

    const { meta } = w.service.platform
    const tokens = await meta.primary.selectFrom('access_token').select('token_hash').execute()
    const sent = (await letters(w.service, w.ann.email)) - lettersBefore
    const seen = [tokens.length, ...(await told(w.service, 'personal_token.created', 'grant.created')), sent]
    assert.deepEqual(seen, made?.status === 200 ? [1, 1, 1, 1] : [0, 0, 0, 0])
  })

  it('leaves an approval with its audit entry and letter, or none of them', async () => {
    await using w = await world()
    const device = await startDevice(w.ann, 'account:profile:read')
    const lettersBefore = await letters(w.service, w.ann.email)

    const [decided] = await whileHeld(w.service, { sql: 'lock table authorization_request in share mode' }, [
      () => decideDevice(w.ann, device.body.user_code, true),
      () => w.ann.post('/api/auth/sign-out'),
    ])

    const [entries] = await told(w.service, 'authorization.approved', 'grant.created')
    const sent = (await letters(w.service, w.ann.email)) - lettersBefore
    const polled = await poll(w.ben, device.body.device_code)
    const isApproved = decided?.status === 200
    assert.deepEqual([polled.status, entries, sent], isApproved ? [200, 1, 1] : [400, 0, 0])
  })

  it('leaves a linked account exactly if the page says so', async () => {
    await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } })
    await using service = await startService({ env: { COMMUNITY_AUTH_URL: forum.url }, open: openPatiently })
    await enableProvider(service, 'community')
    const { ann } = await people(service)
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

const NEW_PASSWORD = 'a quieter walk in the snow'

function changePassword(person: Person, newPassword = NEW_PASSWORD) {
  return person.post('/api/auth/change-password', { currentPassword: person.password, newPassword })
}

describe('a passkey', () => {
  it('that is added by a user who is signed out in the meantime is added exactly if the response says so', async () => {
    await using w = await world()
    const key = new SecurityKey(w.service.config.baseUrl)
    const { body: options } = await w.ann.get('/api/auth/passkey/generate-register-options')

    const [, added] = await whileUserIsHeld<Answer<{ readonly code?: string }>>(w.service, w.ann.id, [
      () => w.administrator.post('/api/admin/revoke_user_sessions', { id: w.ann.id }),
      () => w.ann.post('/api/auth/passkey/verify-registration', { response: key.make(options) }),
    ])

    const { meta } = w.service.platform
    const passkeys = await meta.primary.selectFrom('passkey').select('id').execute()
    const told = added?.status === 200 ? 'added' : added?.body.code
    assert.equal(told, passkeys.length === 1 ? 'added' : 'UNAUTHORIZED')
  })
})

describe('a change of the password', () => {
  it('by a user who is signed out in the meantime opens no session', async () => {
    await using w = await world()

    const [, changed] = await whileUserIsHeld<Answer<unknown>>(w.service, w.ann.id, [
      () => w.administrator.post('/api/admin/revoke_user_sessions', { id: w.ann.id }),
      () => changePassword(w.ann),
    ])

    const [entries] = await told(w.service, 'user.change_password', '')
    assert.equal((await w.ann.get('/api/auth/get-session')).body, null)
    assert.ok([200, 401].includes(changed?.status ?? 0), String(changed?.status))
    assert.equal(entries, changed?.status === 200 ? 1 : 0)
  })

  it('is in the log once for each that happened, also of two at once', async () => {
    await using w = await world()
    const elsewhere = new Person(w.service, w.ann.email, w.ann.password)
    await elsewhere.signIn()

    const answers = await whileUserIsHeld(w.service, w.ann.id, [
      () => changePassword(w.ann),
      () => changePassword(elsewhere, 'the loudest walk in the snow'),
    ])

    const [entries] = await told(w.service, 'user.change_password', '')
    assert.deepEqual([entries, answers.filter(({ status }) => status === 200).length], [1, 1])
  })
})
