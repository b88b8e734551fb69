import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { addApp } from '../../../test/service/devices/factors.ts'
import {
  acceptWithPasskey,
  addPasskey,
  SecurityKey,
  signUpWithPasskey,
} from '../../../test/service/devices/security-key.ts'
import { grantFor, revoke } from '../../../test/service/grants.ts'
import { it } from '../../../test/service/it.ts'
import { Person, people, stranger } from '../../../test/service/people.ts'
import type { Service } from '../../../test/service/service.ts'
import { NO_COOLDOWN, serviceWithMail } from '../../../test/service/with-mail.ts'

/** Returns a function that reads the events since now, without ids and times. */
async function eventsFromNow(service: Service, administrator: Person) {
  await service.runJob('events')
  const { body: start } = await administrator.post('/api/admin/list_events', { after: 'latest' })
  return async (types?: readonly string[]) => {
    await service.runJob('events')
    const { body } = await administrator.post('/api/admin/list_events', { after: start.next, types })
    return body.items.map(({ type, user_id, data }: Reported) => ({ type, user_id, data }))
  }
}

interface Reported {
  readonly type: string
  readonly user_id: string | null
  readonly data: Readonly<Record<string, unknown>>
}

describe('an event', () => {
  it('reports an account that is created and changed, and forgets it with the user', async ({
    service,
    administrator,
  }) => {
    const since = await eventsFromNow(service, administrator)
    const carl = stranger(service)

    await carl.signUp()
    await carl.post('/api/auth/update-user', { name: 'Carl' })
    const reported = await since(['user.created', 'user.updated'])
    await administrator.post('/api/admin/delete_user', { id: carl.id })
    const left = await since(['user.created', 'user.updated', 'user.deleted'])

    const user_id = carl.id
    assert.deepEqual(reported, [
      {
        type: 'user.created',
        user_id,
        data: { email: carl.email, name: carl.email, email_verified: false, provider: 'credential' },
      },
      { type: 'user.updated', user_id, data: { name: 'Carl' } },
    ])
    assert.deepEqual(
      left,
      ['user.created', 'user.updated', 'user.deleted'].map((type) => ({ type, user_id, data: {} })),
    )
  })

  it('of the first session comes after that of its user, who signs up with a password or a passkey', async ({
    service,
    administrator,
  }) => {
    const since = await eventsFromNow(service, administrator)
    const [carl, dora] = [stranger(service), stranger(service, 'dora@example.com')]

    await carl.signUp()
    const { body: signedUp } = await signUpWithPasskey(dora, new SecurityKey(service.config.baseUrl))

    const reported: readonly Reported[] = await since()
    const typesOf = (id: string) => reported.filter(({ user_id }) => user_id === id).map(({ type }) => type)
    assert.deepEqual(typesOf(carl.id), ['user.created', 'session.created'])
    assert.deepEqual(typesOf(signedUp.user.id), ['user.created', 'session.created', 'factor.added'])
  })

  it('reports the passkey with which somebody signs up or accepts an invitation', async () => {
    await using service = await serviceWithMail()
    const { administrator } = await people(service)
    const since = await eventsFromNow(service, administrator)
    const [dora, erin] = [stranger(service, 'dora@example.com'), stranger(service, 'erin@example.com')]
    const key = () => new SecurityKey(service.config.baseUrl)

    const { body } = await signUpWithPasskey(dora, key())
    const taken = await signUpWithPasskey(stranger(service, dora.email), key())
    await administrator.post('/api/admin/invite_user', { email: erin.email })
    await acceptWithPasskey(erin, await service.mail.linkFor(erin.email), key())

    const [first, second, ...more] = await since(['factor.added'])
    assert.deepEqual(first, { type: 'factor.added', user_id: body.user.id, data: { factor: 'passkey' } })
    assert.deepEqual([second.type, second.data, more], ['factor.added', { factor: 'passkey' }, []])
    assert.notEqual(taken.status, 200)
  })

  for (const how of ['verify-email', 'reset-password'] as const) {
    it(`reports each factor that ${how} in another browser removes at the first proof, once`, async () => {
      await using service = await serviceWithMail({ authentication: NO_COOLDOWN })
      const { administrator, ann, ben } = await people(service)
      await addPasskey(ann, new SecurityKey(service.config.baseUrl))
      await addApp(service, ann)
      const since = await eventsFromNow(service, administrator)

      for (let i = 0; i < 2; i++) await proveBy(how, service, ben, ann.email)

      const reported = await since(['factor.removed'])
      assert.deepEqual(
        reported.toSorted((a: Reported, b: Reported) =>
          String(a.data.factor).localeCompare(String(b.data.factor)),
        ),
        ['passkey', 'totp'].map((factor) => ({ type: 'factor.removed', user_id: ann.id, data: { factor } })),
      )
    })
  }

  it('of a factor forgets its name with the user', async ({ service, administrator, ann }) => {
    const since = await eventsFromNow(service, administrator)
    const { body: options } = await ann.get('/api/auth/passkey/generate-register-options')
    const response = new SecurityKey(service.config.baseUrl).make(options)
    await ann.post('/api/auth/passkey/verify-registration', { response, name: 'The phone of Ann' })

    await administrator.post('/api/admin/delete_user', { id: ann.id })

    assert.deepEqual(await since(['factor.added']), [{ type: 'factor.added', user_id: ann.id, data: {} }])
  })

  it('from a shard is passed on together with its entry in the audit log', async ({
    service,
    administrator,
    ann,
  }) => {
    const since = await eventsFromNow(service, administrator)

    const { body } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'More boats' })
    await administrator.post('/api/admin/update_feedback', { id: body.id, user_id: ann.id, status: 'done' })
    const reported = await since()
    const { body: log } = await administrator.post('/api/admin/list_audit_entries', {
      action: 'feedback.update',
    })

    assert.deepEqual(reported, [
      { type: 'feedback.created', user_id: ann.id, data: { id: body.id, type: 'idea' } },
      { type: 'feedback.updated', user_id: ann.id, data: { id: body.id, status: 'done' } },
    ])
    assert.deepEqual([log.total, log.items[0].actor_id], [1, administrator.id])
  })

  it('reports notifications, codes and rewards once', async ({ service, administrator, ann }) => {
    const { body: made } = await administrator.post('/api/admin/generate_beta_codes')
    const { body: credits } = await administrator.post('/api/admin/get_credits_config')
    await administrator.post('/api/admin/update_credits_config', {
      expected_version: credits.version,
      signup_reward_enabled: true,
      signup_reward_amount: 5,
    })
    const since = await eventsFromNow(service, administrator)

    const { body: all } = await administrator.post('/api/admin/create_notification', {
      title: 'T',
      content: 'C',
    })
    for (const path of ['archive', 'archive', 'restore', 'restore'])
      await administrator.post(`/api/admin/${path}_notification`, { id: all.id })
    for (let i = 0; i < 2; i++) await ann.post('/api/bind_beta_code', { beta_code: made.codes[0] })
    const carl = stranger(service)
    await carl.signUp()
    for (let i = 0; i < 2; i++) await carl.post('/api/get_credit_summary')

    const published = {
      type: 'notification.published',
      user_id: null,
      data: { id: all.id, type: 'system', title: 'T' },
    }
    assert.deepEqual(await since(['notification.published', 'notification.archived', 'beta_code.bound']), [
      published,
      { type: 'notification.archived', user_id: null, data: { id: all.id } },
      published,
      { type: 'beta_code.bound', user_id: ann.id, data: {} },
    ])
    const [granted, ...more] = await since(['credit.granted'])
    assert.deepEqual([granted.user_id, granted.data.amount, more], [carl.id, 5, []])
  })

  it('reports each session as it begins and ends, and why', async ({ service, administrator, ann }) => {
    const since = await eventsFromNow(service, administrator)
    const elsewhere = new Person(service, ann.email, ann.password)

    await elsewhere.signIn()
    await elsewhere.signIn()
    await elsewhere.post('/api/auth/sign-out')
    await elsewhere.signIn()
    await ann.post('/api/auth/revoke-other-sessions')
    await ann.post('/api/auth/change-password', {
      currentPassword: ann.password,
      newPassword: 'another walk in the rain',
    })
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })
    service.clock.advance({ days: 31 })
    await service.runJob('session-sweep')

    await administrator.signIn()
    const reported: readonly Reported[] = await since(['session.created', 'session.ended'])
    const ofAnn = reported.filter(({ user_id }) => user_id === ann.id)
    const ended = ofAnn.filter(({ type }) => type === 'session.ended')
    assert.deepEqual(
      ended.map(({ data }) => data.reason),
      [
        'replaced',
        'signed_out',
        'signed_out_elsewhere',
        'password_changed',
        'signed_out_by_the_administrator',
      ],
    )
    assert.equal(ofAnn.length - ended.length, 4)
    const ids = ofAnn.map(({ type, data }) => `${type} ${data.id}`)
    assert.equal(new Set(ids).size, ids.length)
    const expired = reported.filter(({ data }) => data.reason === 'expired')
    assert.equal(expired.length, 2)
  })

  it('reports each grant as it is made and revoked, once', async ({ service, administrator, ann }) => {
    const since = await eventsFromNow(service, administrator)

    const first = await grantFor(ann, 'account:profile:read')
    const second = await grantFor(ann, 'account:profile:read')
    for (let i = 0; i < 2; i++) await revoke(ann, first.tokens.refresh_token)
    await administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })

    const reported = await since(['grant.created', 'grant.revoked'])
    assert.deepEqual(
      reported.map(({ type, user_id, data }: Reported) => [type, user_id, data.id === reported[0].data.id]),
      [
        ['grant.created', ann.id, true],
        ['grant.created', ann.id, false],
        ['grant.revoked', ann.id, true],
        ['grant.revoked', ann.id, false],
      ],
    )
    assert.ok(second)
  })
})

async function proveBy(
  how: 'verify-email' | 'reset-password',
  { mail }: Service,
  browser: Person,
  email: string,
) {
  const asks =
    how === 'verify-email'
      ? (['send-verification-otp', { email, type: 'email-verification' }] as const)
      : (['request-password-reset', { email }] as const)
  await browser.post(`/api/auth/email-otp/${asks[0]}`, asks[1])
  const otp = await mail.codeFor(email)
  await browser.post(`/api/auth/email-otp/${how}`, { email, otp, password: 'a quieter walk in the snow' })
}
