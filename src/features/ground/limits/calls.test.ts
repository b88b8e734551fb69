import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { needs } from '../../../../test/service/approvals.ts'
import { authorizationQuery, grantFor, startDevice } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { from, inNewBrowser } from '../../../../test/service/new-browser.ts'
import { type Answer, type Person, stranger } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'
import { routes } from '../../../app.ts'
import { StoreUnavailable } from '../../../database/store.ts'
import type { Route } from '../../../http/route.ts'
import { CALLER_LIMITS, type CallerLimit } from '../../../rules/caller-limits.ts'

const it = withService.extend('settings', WITH_MAIL)
const declared: readonly Route[] = routes

const WITHOUT_A_DECLARED_LIMIT: Readonly<Record<string, readonly string[]>> = {
  'is counted once the password is right': ['/api/auth/change-password'],
  'is counted unless another one is in progress': ['/api/export_account'],
  'is counted for the network': ['/api/auth/link-social', '/api/auth/oauth2/link'],
  'changes nothing when it is repeated': [
    '/api/auth/delete-user',
    '/api/auth/revoke-sessions',
    '/api/read_all_notifications',
    '/api/bind_beta_code',
  ],
  'needs something each time that a limit is set for': [
    '/api/auth/two-factor/disable',
    '/api/auth/two-factor/revoke-trusted-device',
    '/api/auth/passkey/verify-registration',
    '/api/auth/passkey/delete-passkey',
    '/api/auth/revoke-session',
    '/api/auth/unlink-account',
    '/api/oauth/decide_authorization',
    '/api/revoke_grant',
    '/api/decide_approval',
    '/api/revoke_personal_token',
  ],
  'only reads': [
    '/api/auth/two-factor/get-totp-uri',
    '/api/oauth/get_authorization',
    '/api/list_grants',
    '/api/list_approvals',
    '/api/list_grant_acts',
    '/api/list_personal_tokens',
    '/api/list_product_scopes',
  ],
}

const IDEA = { type: 'idea', content: 'More owls.' }

type Attempt = (person: Person) => Promise<Answer<{ readonly code?: string }>>

const TRIES: Readonly<Record<CallerLimit, Attempt>> = {
  feedback: (person) => person.post('/api/submit_feedback', IDEA),
  'read-marks': (person) => person.post('/api/read_notification', { id: 'any' }),
  'preference-changes': (person) =>
    person.post('/api/update_notification_preferences', { items: [{ type: 'system', email: 'off' }] }),
  'authorization-requests': (person) =>
    person.post('/api/oauth/begin_authorization', authorizationQuery(['account:profile:read'])),
  'personal-tokens': (person) =>
    person.post('/api/create_personal_token', {
      name: 'CI',
      scopes: ['account:profile:read'],
      expires_in_days: 1,
    }),
  'organization-changes': (person) => person.post('/api/auth/organization/set-active', { organizationId: null }),
  'organizations-created': (person) => person.post('/api/auth/organization/create', { name: 'Rowers' }),
  'slug-checks': (person) => person.post('/api/auth/organization/check-slug', { slug: 'rowers' }),
  'profile-changes': (person) => person.post('/api/auth/update-user', { name: 'Ann' }),
  'factor-changes': (person) => person.post('/api/auth/two-factor/enable'),
  'account-changes': (person) => person.post('/api/auth/passkey/update-passkey', { id: 'any', name: 'Laptop' }),
  'others-signed-out': (person) => person.post('/api/auth/revoke-other-sessions'),
  'password-changes': (person) =>
    person.post('/api/auth/change-password', {
      currentPassword: person.password,
      newPassword: person.password,
    }),
  confirmations: (person) => person.post('/api/auth/confirm', { password: person.password }),
  exports: (person) => person.post('/api/export_account'),
  'notifications-published': (person) =>
    person.post('/api/admin/create_notification', { title: 'One', content: 'New.' }),
  invitations: (person) => person.post('/api/admin/invite_user', { email: 'carl@example.com' }),
  'users-signed-out': (person) => person.post('/api/admin/revoke_user_sessions', { id: 'any' }),
  impersonations: (person) => person.post('/api/auth/admin/impersonate-user', { userId: 'any' }),
  'staff-changes': (person) => person.post('/api/admin/update_staff', { user_id: 'any', scopes: [] }),
  'test-mails': (person) => person.post('/api/admin/send_test_email', { to: 'ann@example.com' }),
  'test-deliveries': (person) => person.post('/api/admin/test_webhook', { id: 'any' }),
  'mail-domain-checks': (person) => person.post('/api/admin/check_mail_domain'),
}
const BY_ADMINISTRATOR: readonly CallerLimit[] = [
  'notifications-published',
  'invitations',
  'users-signed-out',
  'impersonations',
  'staff-changes',
  'test-mails',
  'test-deliveries',
  'mail-domain-checks',
]
async function haveDone({ platform, clock }: Service, person: Person, limit: CallerLimit, times: number) {
  const { session } = (await person.get('/api/auth/get-session')).body
  const key = `act:${limit}:${'per' in CALLER_LIMITS[limit] ? session.id : person.id}`
  if ('counted' in CALLER_LIMITS[limit]) {
    await platform.keyValue.increment(`limit:${key}`, CALLER_LIMITS[limit].minutes * 60, times)
    return
  }
  platform.memory.remember(`${key}:started`, clock.now())
  platform.memory.remember(key, times)
}

describe('79. a signed-in caller', () => {
  it.for(Object.entries(TRIES) as [CallerLimit, Attempt][])(
    'checklist 79: has a limit for %s, which delays no other user and no other act',
    async ([limit, attempt], { service, administrator, ann, ben }) => {
      const { most, minutes } = CALLER_LIMITS[limit]
      const person = BY_ADMINISTRATOR.includes(limit) ? administrator : ann
      await haveDone(service, person, limit, most - 1)

      const last = await attempt(person)
      const beyond = await attempt(person)
      const other = await attempt(ben)
      const session = await person.get('/api/auth/get-session')
      service.clock.advance({ minutes })
      const later = await attempt(person)

      assertRefused(beyond, 'RATE_LIMITED')
      assert.equal(beyond.headers.get('retry-after'), String(minutes * 60))
      assert.ok(!statuses([last, other, later]).includes(429))
      assert.equal(session.status, 200)
    },
  )

  it('checklist 79: can change the password whatever a thief has repeated', async ({ service, ann }) => {
    await haveDone(service, ann, 'others-signed-out', CALLER_LIMITS['others-signed-out'].most)
    const change = (currentPassword: string) =>
      ann.post('/api/auth/change-password', { currentPassword, newPassword: 'a quieter walk in the snow' })

    const wrong = await change('not hers at all')
    const beyond = await ann.post('/api/auth/revoke-other-sessions')
    const changed = await change(ann.password)

    assert.deepEqual([wrong.status, beyond.status, changed.status], [401, 429, 200])
  })

  it('checklist 79: can end a stolen session from a new one even then', async ({ service, ann }) => {
    const again = inNewBrowser(service, ann)
    await again.signIn()
    await haveDone(service, ann, 'others-signed-out', CALLER_LIMITS['others-signed-out'].most)

    const thief = await ann.post('/api/auth/revoke-other-sessions')
    const owner = await again.post('/api/auth/revoke-other-sessions')
    const stolen = await ann.get('/api/auth/get-session')

    assert.deepEqual([thief.status, owner.status, stolen.body], [429, 200, null])
  })

  it('checklist 79: is limited from the first request on', async ({ ann }) => {
    for (let i = 0; i < CALLER_LIMITS.exports.most; i++) assert.equal((await TRIES.exports(ann)).status, 200)

    assert.equal((await TRIES.exports(ann)).status, 429)
  })

  it('checklist 79: is not counted for input that is refused, nor for an export that needs a fresh session', async ({
    service,
    ann,
  }) => {
    await haveDone(service, ann, 'feedback', CALLER_LIMITS.feedback.most - 1)
    await haveDone(service, ann, 'exports', CALLER_LIMITS.exports.most - 1)
    const invalid = await ann.post('/api/submit_feedback', { type: 'idea' })
    const badKey = await ann.post('/api/submit_feedback', IDEA, { 'idempotency-key': '' })
    service.clock.advance({ minutes: 16 })
    await haveDone(service, ann, 'feedback', CALLER_LIMITS.feedback.most - 1)
    const stale = await TRIES.exports(ann)
    const valid = await TRIES.feedback(ann)
    await ann.post('/api/auth/confirm', { password: ann.password })
    const fresh = await TRIES.exports(ann)

    for (const answer of [invalid, badKey]) assertRefused(answer, 'INVALID_REQUEST')
    assertRefused(stale, 'SESSION_NOT_FRESH')
    assert.deepEqual(statuses([valid, fresh]), [200, 200])
    for (const attempt of [TRIES.feedback, TRIES.exports]) assertRefused(await attempt(ann), 'RATE_LIMITED')
  })

  it('checklist 79: is counted before the session has to be fresh', async ({ service, ann }) => {
    service.clock.advance({ minutes: 16 })
    await haveDone(service, ann, 'personal-tokens', CALLER_LIMITS['personal-tokens'].most - 1)

    const answers = [await TRIES['personal-tokens'](ann), await TRIES['personal-tokens'](ann)]

    assert.deepEqual(
      answers.map(({ body }) => body.code),
      ['SESSION_NOT_FRESH', 'RATE_LIMITED'],
    )
  })

  it('checklist 79: is counted once for a call of an assistant, when it is carried out', async ({ service, ann }) => {
    const tool = await grantFor(ann, 'operations:feedback:write')
    await needs(ann, 'writes')
    const submit = { name: 'submit_feedback', arguments: IDEA }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: submit }
    const ask = async (): Promise<string> => (await tool.post('/mcp', call)).body.result.content[0].text
    await haveDone(service, ann, 'feedback', CALLER_LIMITS.feedback.most - 2)
    const waiting = [await ask(), await ask(), await ask()]
    const decided = []
    for (const text of waiting) {
      const { approval_id: id } = JSON.parse(text)
      const { body } = await ann.post('/api/decide_approval', { id, approve: true })
      decided.push(body.result.status)
    }
    await needs(ann, 'none')

    assert.deepEqual(decided, [200, 200, 429])
    assert.match(await ask(), /RATE_LIMITED/)
    service.clock.advance({ minutes: CALLER_LIMITS.feedback.minutes })
    await haveDone(service, ann, 'feedback', CALLER_LIMITS.feedback.most - 1)
    assert.doesNotMatch(await ask(), /RATE_LIMITED/)
    assert.match(await ask(), /RATE_LIMITED/)
  })

  describe('with USER_LIMIT_FACTOR', () => {
    it.override('options', { env: { USER_LIMIT_FACTOR: '3' } })

    it('has each limit multiplied by it', async ({ service, ann }) => {
      await haveDone(service, ann, 'feedback', CALLER_LIMITS.feedback.most * 3 - 1)

      assert.deepEqual(statuses([await TRIES.feedback(ann), await TRIES.feedback(ann)]), [200, 429])
    })
  })

  it('checklist 79: exports are counted by all processes together, even without KV_URL', async ({ service, ann }) => {
    const elsewhere = inNewBrowser({ ...service, request: service.requestElsewhere }, ann)
    for (const [name, value] of ann.cookies) elsewhere.cookies.set(name, value)
    for (let i = 0; i < CALLER_LIMITS.exports.most; i++) {
      const person = i % 2 === 0 ? ann : elsewhere
      assert.equal((await TRIES.exports(person)).status, 200)
    }

    for (const person of [ann, elsewhere]) assertRefused(await TRIES.exports(person), 'RATE_LIMITED')
  })

  describe('with KV_URL', () => {
    it.override('options', { env: { KV_URL: 'redis://127.0.0.1:1' } })

    it('checklist 79: is counted by all processes together', async ({ service, ann }) => {
      for (let i = 0; i < CALLER_LIMITS.exports.most; i++) assert.equal((await TRIES.exports(ann)).status, 200)
      const elsewhere = inNewBrowser({ ...service, request: service.requestElsewhere }, ann)
      for (const [name, value] of ann.cookies) elsewhere.cookies.set(name, value)

      const { status, headers } = await TRIES.exports(elsewhere)

      assert.deepEqual([status, headers.get('retry-after')], [429, String(CALLER_LIMITS.exports.minutes * 60)])
    })

    it('checklist 79: is counted in the global store while the key-value store is down; guesses are refused', async ({
      service,
      ann,
    }) => {
      const gone = () => Promise.reject(new StoreUnavailable('key-value'))
      Object.assign(service.platform.keyValue, { together: gone, increment: gone, get: gone, setIfAbsent: gone })

      for (let i = 0; i < CALLER_LIMITS['personal-tokens'].most; i++)
        assert.equal((await TRIES['personal-tokens'](ann)).status, 200)
      const beyond = await TRIES['personal-tokens'](ann)
      const other = await TRIES.feedback(ann)
      const guess = await inNewBrowser(service, ann).signIn()

      assert.deepEqual(statuses([beyond, other, guess]), [429, 200, 503])
    })
  })
})

describe('79. a write of a signed-in user', () => {
  it('checklist 79: has a limit, or cannot be repeated without end for a reason that is written down', () => {
    const unlimited = declared.filter((route) => isUsersWrite(route) && !('limit' in route)).map(({ path }) => path)

    assert.deepEqual(unlimited.toSorted(), Object.values(WITHOUT_A_DECLARED_LIMIT).flat().toSorted())
  })
})

describe('79. starts of device requests', () => {
  describe('behind a proxy', () => {
    it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })

    it('checklist 79: count a /64 as one network', async ({ service }) => {
      const start = (address: string) =>
        stranger(service).send('/api/oauth/device_authorization', {
          method: 'POST',
          headers: from(address),
          body: new URLSearchParams({ client_id: 'cli-client', scope: 'account:profile:read' }),
        })
      for (let i = 1; i <= 60; i++) assert.equal((await start(`2001:db8:1:2::${i.toString(16)}`)).status, 200)

      const same = await start('2001:db8:1:2:ffff::1')
      const other = await start('2001:db8:1:3::1')

      assert.deepEqual([same.status, same.body.error], [429, 'temporarily_unavailable'])
      assert.ok(Number(same.headers.get('retry-after')) > 0)
      assert.equal(other.status, 200)
    })
  })

  it('checklist 79: leave no row ten minutes after their end', async ({ service }) => {
    await startDevice(stranger(service), 'account:profile:read')
    const rows = () => service.platform.meta.primary.selectFrom('authorization_request').select('id').execute()
    service.clock.advance({ minutes: 20, milliseconds: -1 })
    await service.runJob('grants-sweep')
    assert.equal((await rows()).length, 1)

    service.clock.advance({ milliseconds: 1 })
    await service.runJob('grants-sweep')

    assert.deepEqual(await rows(), [])
  })
})

/** Leaves out the administrator's writes, which have no limit: the work can need any number. */
function isUsersWrite(route: Route): boolean {
  if (route.method !== 'POST' || route.path.startsWith('/api/admin/')) return false
  if (route.access === 'session') return true
  return route.access === 'protected' && (route.path === '/api/export_account' || !route.scope?.endsWith(':read'))
}
