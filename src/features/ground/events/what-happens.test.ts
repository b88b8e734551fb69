import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { addApp } from '../../../../test/service/devices/factors.ts'
import {
  acceptWithPasskey,
  addPasskey,
  SecurityKey,
  signUpWithPasskey,
} from '../../../../test/service/devices/security-key.ts'
import { submitted } from '../../../../test/service/feedback.ts'
import { grantFor, revoke } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { newcomer, Person, stranger } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../../../test/service/with-mail.ts'

/** Returns a function that reads the events from now on, without ids and times. */
async function eventsFromNow(service: Service, administrator: Person) {
  await service.runJob('events')
  const { body: start } = await administrator.post('/api/admin/list_events', { after: 'latest' })
  return async (...types: readonly string[]): Promise<readonly Reported[]> => {
    await service.runJob('events')
    const filter = types.length > 0 ? { types } : {}
    const { body } = await administrator.post('/api/admin/list_events', { after: start.next, ...filter })
    return body.items.map(({ type, user_id, data }: Reported) => ({ type, user_id, data }))
  }
}

interface Reported {
  readonly type: string
  readonly user_id: string | null
  readonly data: Readonly<Record<string, unknown>>
}

interface Given {
  /** Reads the events since the test began, of these types or of all. */
  readonly since: Awaited<ReturnType<typeof eventsFromNow>>
}

const it = withService.extend<Given>({
  since: async ({ service, administrator }, use) => use(await eventsFromNow(service, administrator)),
})

describe('an event', () => {
  it.override('settings', { ...WITH_MAIL, authentication: NO_COOLDOWN })

  it('reports an account that is created and changed, and forgets it with the user', async ({
    service,
    administrator,
    since,
  }) => {
    const TYPES = ['user.created', 'user.updated', 'user.deleted']
    const carl = await newcomer(service)
    await carl.post('/api/auth/update-user', { name: 'Carl' })
    const reported = await since(...TYPES)
    await administrator.post('/api/admin/delete_user', { id: carl.id })
    const left = await since(...TYPES)

    const { id: user_id, email } = carl
    const data = { email, name: email, image: null, email_verified: false, provider: 'credential' }
    assert.deepEqual(reported, [
      { type: 'user.created', user_id, data },
      { type: 'user.updated', user_id, data: { name: 'Carl' } },
    ])
    assert.deepEqual(
      left,
      TYPES.map((type) => ({ type, user_id, data: {} })),
    )
  })

  it('of the first session comes after that of its user, who signs up with a password or a passkey', async ({
    service,
    since,
  }) => {
    const carl = await newcomer(service)
    const dora = stranger(service, 'dora@example.com')
    const { body: signedUp } = await signUpWithPasskey(dora, new SecurityKey(service.config.baseUrl))

    const reported = await since()
    const typesOf = (id: string) => reported.filter(({ user_id }) => user_id === id).map(({ type }) => type)
    assert.deepEqual(typesOf(carl.id), ['user.created', 'session.created'])
    assert.deepEqual(typesOf(signedUp.user.id), ['user.created', 'session.created', 'factor.added'])
  })

  it('reports the passkey with which somebody signs up or accepts an invitation', async ({
    service,
    administrator,
    since,
  }) => {
    const [dora, erin] = [stranger(service, 'dora@example.com'), stranger(service, 'erin@example.com')]
    const key = () => new SecurityKey(service.config.baseUrl)

    const { body } = await signUpWithPasskey(dora, key())
    const taken = await signUpWithPasskey(stranger(service, dora.email), key())
    await administrator.post('/api/admin/invite_user', { email: erin.email })
    await acceptWithPasskey(erin, await service.mail.linkFor(erin.email), key())

    const reported = await since('factor.added')
    const factors = reported.map(({ data }) => data.factor)
    assert.deepEqual([reported[0]?.user_id, factors], [body.user.id, ['passkey', 'passkey']])
    assert.notEqual(taken.status, 200)
  })

  for (const how of ['verify-email', 'reset-password'] as const) {
    it(`reports each factor that ${how} in another browser removes at the first proof, once`, async ({
      service,
      ann,
      ben,
      since,
    }) => {
      await addPasskey(ann, new SecurityKey(service.config.baseUrl))
      await addApp(service, ann)

      for (let i = 0; i < 2; i++) await proveBy(how, service, ben, ann.email)

      const reported = (await since('factor.removed')).map(({ user_id, data }) => `${user_id} ${data.factor}`)
      assert.deepEqual(reported.toSorted(), [`${ann.id} passkey`, `${ann.id} totp`])
    })
  }

  it('of a factor forgets its name with the user', async ({ service, administrator, ann, since }) => {
    const { body: options } = await ann.get('/api/auth/passkey/generate-register-options')
    const response = new SecurityKey(service.config.baseUrl).make(options)
    await ann.post('/api/auth/passkey/verify-registration', { response, name: 'The phone of Ann' })

    await administrator.post('/api/admin/delete_user', { id: ann.id })

    assert.deepEqual(await since('factor.added'), [{ type: 'factor.added', user_id: ann.id, data: {} }])
  })

  it('from a shard is passed on together with its entry in the audit log', async ({ administrator, ann, since }) => {
    const user_id = ann.id
    const id = await submitted(ann)
    await administrator.post('/api/admin/update_feedback', { id, user_id, status: 'done' })
    const reported = await since()
    const action = 'feedback.update'
    const { body: log } = await administrator.post('/api/admin/list_audit_entries', { action })

    assert.deepEqual(reported, [
      { type: 'feedback.created', user_id, data: { id, type: 'idea' } },
      { type: 'feedback.updated', user_id, data: { id, status: 'done' } },
    ])
    assert.deepEqual([log.total, log.items[0].actor_id], [1, administrator.id])
  })

  it('reports notifications, codes and rewards once', async ({ service, administrator, ann, since }) => {
    const { body: made } = await administrator.post('/api/admin/generate_beta_codes')
    await administrator.saveSettings('credits', { signup_reward_enabled: true, signup_reward_amount: 5 })

    const notification = { title: 'T', content: 'C' }
    const { body: all } = await administrator.post('/api/admin/create_notification', notification)
    for (const path of ['archive', 'archive', 'restore', 'restore'])
      await administrator.post(`/api/admin/${path}_notification`, { id: all.id })
    for (let i = 0; i < 2; i++) await ann.post('/api/bind_beta_code', { beta_code: made.codes[0] })
    const carl = await newcomer(service)
    for (let i = 0; i < 2; i++) await carl.post('/api/get_credit_summary')

    const data = { id: all.id, type: 'system', title: 'T' }
    const published = { type: 'notification.published', user_id: null, data }
    assert.deepEqual(await since('notification.published', 'notification.archived', 'beta_code.bound'), [
      published,
      { type: 'notification.archived', user_id: null, data: { id: all.id } },
      published,
      { type: 'beta_code.bound', user_id: ann.id, data: {} },
    ])
    const granted = await since('credit.granted')
    assert.deepEqual(
      granted.map(({ user_id, data }) => [user_id, data.amount]),
      [[carl.id, 5]],
    )
  })

  it('reports each session as it begins and ends, and why', async ({ service, administrator, ann, since }) => {
    const elsewhere = new Person(service, ann.email, ann.password)

    await elsewhere.signIn()
    await elsewhere.signIn()
    await elsewhere.post('/api/auth/sign-out')
    await elsewhere.signIn()
    await ann.post('/api/auth/revoke-other-sessions')
    const change = { currentPassword: ann.password, newPassword: 'another walk in the rain' }
    await ann.post('/api/auth/change-password', change)
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })
    service.clock.advance({ days: 31 })
    await service.runJob('session-sweep')

    await administrator.signIn()
    const reported = await since('session.created', 'session.ended')
    const ofAnn = reported.filter(({ user_id }) => user_id === ann.id)
    const ended = ofAnn.filter(({ type }) => type === 'session.ended')
    const reasons = ended.map(({ data }) => data.reason).join(' ')
    assert.equal(reasons, 'replaced signed_out signed_out_elsewhere password_changed signed_out_by_the_administrator')
    assert.equal(ofAnn.length - ended.length, 4)
    const ids = ofAnn.map(({ type, data }) => `${type} ${data.id}`)
    assert.equal(new Set(ids).size, ids.length)
    const expired = reported.filter(({ data }) => data.reason === 'expired')
    assert.equal(expired.length, 2)
  })

  it('reports each grant as it is made and revoked, once', async ({ administrator, ann, since }) => {
    const first = await grantFor(ann, 'account:profile:read')
    await grantFor(ann, 'account:profile:read')
    for (let i = 0; i < 2; i++) await revoke(ann, first.tokens.refresh_token)
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })

    const reported = await since('grant.created', 'grant.revoked')
    const [one, other] = reported.map(({ data }) => data.id)
    assert.notEqual(one, other)
    assert.deepEqual(
      reported.map(({ type, user_id, data }) => [type, user_id, data.id]),
      ['grant.created', 'grant.revoked'].flatMap((type) => [one, other].map((id) => [type, ann.id, id])),
    )
  })
})

async function proveBy(how: string, { mail }: Service, browser: Person, email: string) {
  const ask = how === 'verify-email' ? 'send-verification-otp' : 'request-password-reset'
  await browser.post(`/api/auth/email-otp/${ask}`, { email, type: 'email-verification' })
  const otp = await mail.codeFor(email)
  await browser.post(`/api/auth/email-otp/${how}`, { email, otp, password: 'a quieter walk in the snow' })
}
