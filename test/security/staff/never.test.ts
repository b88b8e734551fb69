import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { STAFF_SCOPES } from '../../../src/rules/staff.ts'
import { assertRefused, eachOf, statuses } from '../../service/answers.ts'
import { bearer, CALLBACK, codeFor, register, tokensFor } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import { it as withService } from '../../service/it.ts'
import { type Answer, newcomer, type Person, stranger } from '../../service/people.ts'
import { onStaff } from '../../service/staff.ts'
import { WITH_MAIL } from '../../service/with-mail.ts'

/** Ann holds every scope that staff can hold, Carl some. */
const it = withService.extend<{ carl: Person; settings: typeof WITH_MAIL }>({
  settings: WITH_MAIL,
  carl: async ({ service, administrator, ann }, use) => {
    const carl = await newcomer(service)
    await onStaff(service, administrator, carl, 'admin:users:read')
    await onStaff(service, administrator, ann, ...STAFF_SCOPES)
    await use(carl)
  },
})

const WEB = { name: 'Desk', kind: 'web', redirect_uris: ['https://desk.example/callback'] }
const ORDERS = 'product:orders:read'

interface Colleague {
  readonly id: string
  readonly grantId: string
  readonly feedbackId: string
  readonly notificationId: string
}

/** Everything that changes one user's account. */
const CHANGES = {
  suspend_user: ({ id }) => ({ id, reason: 'Mine now.' }),
  restore_user: ({ id }) => ({ id }),
  delete_user: ({ id }) => ({ id }),
  revoke_user_sessions: ({ id }) => ({ id }),
  send_password_reset: ({ id }) => ({ id }),
  move_user: ({ id }) => ({ id, shard_id: 'weur-1' }),
  give_credits: ({ id }) => ({ id, amount: 1 }),
  update_user_data: ({ id }) => ({ id, public: { plan: 'free' } }),
  revoke_user_grant: ({ id, grantId }) => ({ user_id: id, id: grantId }),
  update_feedback: ({ id, feedbackId }) => ({ user_id: id, id: feedbackId, status: 'done' }),
  reply_to_feedback: ({ id, feedbackId }) => ({ user_id: id, id: feedbackId, text: 'No.' }),
  create_notification: ({ id }) => ({ target_user_id: id, title: 'Sign in', content: 'https://evil.example' }),
  update_notification: ({ notificationId }) => ({ id: notificationId, content: 'Nothing.' }),
  archive_notification: ({ notificationId }) => ({ id: notificationId }),
  restore_notification: ({ notificationId }) => ({ id: notificationId }),
} as const satisfies Readonly<Record<string, (of: Colleague) => object>>

async function belongingsOf(administrator: Person, person: Person): Promise<Colleague> {
  await grantFor(person, 'account:profile:read')
  const { body: grants } = await person.post('/api/list_grants')
  const { body: feedback } = await person.post('/api/submit_feedback', { type: 'idea', content: 'Owls' })
  const told = { target_user_id: person.id, title: 'Hello', content: 'You.' }
  const { body: notification } = await administrator.post('/api/admin/create_notification', told)
  return { id: person.id, grantId: grants.items[0].id, feedbackId: feedback.id, notificationId: notification.id }
}

describe('130. the account of a colleague', () => {
  it('is changed in no way by a member or a tool of theirs, and seen by both', async ({
    service,
    administrator,
    ann,
    carl,
  }) => {
    const { tokens } = await grantFor(ann, ...STAFF_SCOPES)
    const tool = bearer(tokens.access_token)
    for (const colleague of [administrator, carl]) {
      const its = await belongingsOf(administrator, colleague)
      for (const [act, inputFor] of Object.entries(CHANGES)) {
        const path = `/api/admin/${act}`
        assertRefused(await ann.post(path, inputFor(its)), 'FORBIDDEN')
        assertRefused(await stranger(service).post(path, inputFor(its), tool), 'FORBIDDEN')
      }
      assert.equal((await ann.post('/api/admin/get_user', { id: its.id })).status, 200)
      const { body } = await administrator.post('/api/admin/list_audit_entries', { actor_id: ann.id })
      const entries: readonly { readonly subject_id: string | null }[] = body.items
      assert.deepEqual(
        entries.filter(({ subject_id }) => subject_id === its.id),
        [],
      )
    }
  })

  it('is changed by the same acts if it is a user’s, or the member’s own', async ({
    administrator,
    ann,
    ben,
    carl: _,
  }) => {
    const its = await belongingsOf(administrator, ben)
    const order = Object.entries(CHANGES).toSorted(([one]) => (one === 'delete_user' ? 1 : -1))
    const answers: Answer<unknown>[] = []
    for (const [act, inputFor] of order) answers.push(await ann.post(`/api/admin/${act}`, inputFor(its)))
    const own = await ann.post('/api/admin/give_credits', { id: ann.id, amount: 1 })

    assert.deepEqual(
      answers.filter(({ status }) => status !== 200),
      [],
    )
    assert.equal(own.status, 200)
  })
})

describe('a member with every scope', () => {
  it('makes, proves and removes no credential', async ({ ann, ben, carl: _ }) => {
    const email = 'dora@example.com'
    for (const [act, body] of [
      ['create_user', { email, password: 'a quieter walk in the snow' }],
      ['mark_verified', { id: ben.id }],
      ['remove_factors', { id: ben.id }],
    ] as const)
      assertRefused(await ann.post(`/api/admin/${act}`, body), 'FORBIDDEN')
    assert.equal((await ann.post('/api/admin/create_user', { email })).status, 200)
  })

  it('changes no field that decides where letters and browsers go, who signs in as whom, or who is deleted', async ({
    ann,
    carl: _,
  }) => {
    for (const [part, fields] of [
      ['email', { smtp_host: 'mail.evil.example' }],
      ['email', { provider: 'api' }],
      ['authentication', { provider_a_client_id: 'mine' }],
      ['authentication', { second_factor: 'off' }],
      ['authentication', { email_verification_required: true }],
      ['authentication', { unverified_account_days: 1 }],
      ['brand', { return_origins: ['https://evil.example'] }],
    ] as const) {
      const { body } = await ann.post(`/api/admin/get_${part}_config`)
      const sent = { expected_version: body.version, ...fields }
      assertRefused(await ann.post(`/api/admin/update_${part}_config`, sent), 'FORBIDDEN')
    }
    const { body } = await ann.post('/api/admin/get_brand_config')
    const name = await ann.post('/api/admin/update_brand_config', { expected_version: body.version, name: 'Owls' })
    assert.equal(name.status, 200)
  })

  it('finds only what the member can read', async ({ service, administrator, ann }) => {
    const shop = await register(administrator)
    await onStaff(service, administrator, ann, 'admin:users:read')
    const find = (by: Person) => by.post('/api/admin/find', { text: shop.id })

    assert.deepEqual([eachOf(await find(administrator), 'id'), eachOf(await find(ann), 'id')], [[shop.id], []])
  })

  it('learns nothing about users by an audience without the scope that lists them', async ({
    service,
    administrator,
    ann,
  }) => {
    await onStaff(service, administrator, ann, 'admin:notifications:write', 'admin:notifications:read')
    const sent = { title: 'Hello', content: 'You.', audience: { search: 'ben' } }

    assertRefused(await ann.post('/api/admin/create_notification', sent), 'FORBIDDEN')
  })

  it('cannot write to colleagues alone by an audience either', async ({ administrator, ann, ben, carl }) => {
    const told = (search: string) =>
      ann.post('/api/admin/create_notification', { title: 'Sign in', content: 'Here.', audience: { search } })

    for (const { email } of [administrator, carl]) assertRefused(await told(email), 'FORBIDDEN')
    for (const search of [ben.email, ann.email, 'example.com']) assert.equal((await told(search)).status, 200)
  })

  it('gives nobody scopes, themselves least of all', async ({ ann, ben, carl: _ }) => {
    for (const user_id of [ann.id, ben.id])
      assertRefused(await ann.post('/api/admin/update_staff', { user_id, scopes: ['admin:users:read'] }), 'FORBIDDEN')
  })

  it('sets no key, skips no consent and deletes no scope of the product', async ({ administrator, ann, carl: _ }) => {
    await administrator.post('/api/admin/declare_product_scope', { scope: ORDERS, description: 'Read orders' })
    const url = 'https://hook.example/'
    for (const [act, body] of [
      ['create_application', { ...WEB, skip_consent: true }],
      ['create_application', { ...WEB, key: 'desk' }],
      ['create_webhook', { url, types: ['user.created'], key: 'desk' }],
      ['delete_product_scope', { scope: ORDERS }],
      ['declare_product_scope', { scope: ORDERS, description: 'Nothing to see' }],
    ] as const)
      assertRefused(await ann.post(`/api/admin/${act}`, body), 'FORBIDDEN')
  })

  it.for(['admin:users:write', ORDERS])(
    'cannot make or take over a service with %s, which acts as the administrator or has everybody’s data',
    async (scope, { service, administrator, ann, carl: _ }) => {
      await administrator.post('/api/admin/declare_product_scope', { scope: ORDERS, description: 'Read orders' })
      const { tokens } = await grantFor(ann, 'admin:applications:write', 'admin:users:write')
      const robot = await register(administrator, { kind: 'service', scopes: [scope] })
      const bare = await register(administrator, { kind: 'service', name: 'Bare' })

      for (const [act, body] of [
        ['create_application', { name: 'Robot 2', kind: 'service', scopes: [scope] }],
        ['update_application', { id: bare.id, scopes: [scope] }],
        ['update_application', { id: robot.id, name: 'Robot 3' }],
        ['rotate_application_secret', { id: robot.id }],
      ] as const) {
        assertRefused(await ann.post(`/api/admin/${act}`, body), 'FORBIDDEN')
        const byTool = await stranger(service).post(`/api/admin/${act}`, body, bearer(tokens.access_token))
        assertRefused(byTool, 'INSUFFICIENT_SCOPE')
      }
      const own = await ann.post('/api/admin/create_application', { ...WEB, scopes: ['openid', scope] })
      const rotated = await ann.post('/api/admin/rotate_application_secret', { id: bare.id })
      assert.deepEqual(statuses([own, rotated]), [200, 200])
    },
  )
})

describe('an application with scopes that a member lacks', () => {
  const APPLICATIONS = ['admin:applications:read', 'admin:applications:write', 'admin:users:read']

  it('is neither made nor changed by them, nor given another secret, in a session or by a tool', async ({
    service,
    administrator,
    ann,
  }) => {
    const desk = await register(administrator, { ...WEB, scopes: ['openid', 'admin:users:write'] })
    const weak = await register(administrator, { ...WEB, name: 'Weak', scopes: ['openid'] })
    await onStaff(service, administrator, ann, ...APPLICATIONS)
    const { tokens } = await grantFor(ann, ...APPLICATIONS)
    const tries = [
      ['create_application', { ...WEB, name: 'Desk 2', scopes: ['config:email:read'] }],
      ['rotate_application_secret', { id: desk.id }],
      ['update_application', { id: desk.id, redirect_uris: ['https://evil.example/callback'] }],
      ['update_application', { id: desk.id, post_logout_redirect_uris: ['https://evil.example/'] }],
      ['update_application', { id: desk.id, backchannel_logout_uri: 'https://evil.example/' }],
      ['update_application', { id: desk.id, scopes: ['openid'] }],
      ['update_application', { id: weak.id, scopes: ['openid', 'admin:users:write'] }],
    ] as const

    for (const [act, body] of tries) {
      assertRefused(await ann.post(`/api/admin/${act}`, body), 'FORBIDDEN')
      const byTool = await stranger(service).post(`/api/admin/${act}`, body, bearer(tokens.access_token))
      assertRefused(byTool, 'INSUFFICIENT_SCOPE')
    }
    const held = await ann.post('/api/admin/update_application', {
      id: weak.id,
      scopes: ['openid', 'admin:users:read'],
    })
    assert.equal(held.status, 200)
  })

  it('gets no other redirect address from a member or a tool once a user has allowed it: no code goes there unasked', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const desk = await register(administrator, { scopes: ['openid', 'admin:users:read'] })
    await onStaff(service, administrator, ann, ...APPLICATIONS)
    const { tokens } = await grantFor(ann, ...APPLICATIONS)
    const other = 'https://evil.example/callback'
    const to = (...redirect_uris: readonly string[]) => ({ id: desk.id, redirect_uris })
    const path = '/api/admin/update_application'

    const before = await ann.post(path, to(CALLBACK, 'https://shop.example/second'))
    await codeFor(ben, desk, { scope: 'openid' })
    const refused = [
      await ann.post(path, to(CALLBACK, other)),
      await ann.post(path, { ...to(other), skip_consent: false }),
      await stranger(service).post(path, to(CALLBACK, other), bearer(tokens.access_token)),
    ]
    const fewer = await ann.post(path, to(CALLBACK))
    const byOwner = await administrator.post(path, to(CALLBACK, other))

    for (const answer of refused) assertRefused(answer, 'FORBIDDEN')
    assert.deepEqual(statuses([before, fewer, byOwner]), [200, 200, 200])
  })

  it('gets of a member no more than the member holds', async ({ service, administrator, ann }) => {
    const desk = await register(administrator, { scopes: ['openid', ...APPLICATIONS] })
    await onStaff(service, administrator, ann, 'admin:users:read')

    const begun = codeFor(ann, desk, { scope: 'openid admin:applications:write' })

    await assert.rejects(begun, /FORBIDDEN/)
    const { access_token } = await tokensFor(ann, desk, { scope: 'openid admin:users:read' })
    await onStaff(service, administrator, ann)
    assertRefused(await stranger(service).post('/api/admin/list_users', {}, bearer(access_token)), 'FORBIDDEN')
  })
})

describe('a token of a member', () => {
  it('cannot be made with more than the member holds', async ({ service, administrator, ann }) => {
    await onStaff(service, administrator, ann, 'admin:users:read')
    const make = (...scopes: readonly string[]) =>
      ann.post('/api/create_personal_token', { name: 'CI', scopes, expires_in_days: 1 })

    assertRefused(await make('admin:users:read', 'admin:users:write'), 'FORBIDDEN')
    assert.equal((await make('admin:users:read', 'account:profile:read')).status, 200)
    await assert.rejects(grantFor(ann, 'admin:users:write'))
  })

  it('shows and opens only what the member holds now, after a refresh too', async ({ service, administrator, ann }) => {
    await onStaff(service, administrator, ann, 'admin:users:read', 'admin:audit:read')
    const tool = await grantFor(ann, 'admin:users:read', 'admin:audit:read', 'account:profile:read')
    const { body: personal } = await ann.post('/api/create_personal_token', {
      ...{ name: 'CI', scopes: ['admin:users:read', 'admin:audit:read'], expires_in_days: 1 },
    })
    await onStaff(service, administrator, ann, 'admin:audit:read')
    const { body: renewed } = await tool.refresh()

    for (const token of [tool.tokens.access_token, renewed.access_token, personal.token]) {
      const by = (path: string) => stranger(service).post(path, {}, bearer(token))
      assertRefused(await by('/api/admin/list_users'), 'FORBIDDEN')
      assert.equal((await by('/api/admin/list_audit_entries')).status, 200)
      const verified = await stranger(service).get('/api/verify', bearer(token))
      assert.doesNotMatch(verified.headers.get('x-auth-scopes') ?? '', /admin:users:read/)
    }
  })

  it('is offered no tool at /mcp that the member cannot use now', async ({ service, administrator, ann }) => {
    await onStaff(service, administrator, ann, 'admin:users:read', 'admin:audit:read')
    const { tokens } = await grantFor(ann, 'admin:users:read', 'admin:audit:read')
    await onStaff(service, administrator, ann, 'admin:audit:read')
    const call = (method: string, params: object = {}) =>
      stranger(service).post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method, params },
        {
          ...bearer(tokens.access_token),
          accept: 'application/json, text/event-stream',
        },
      )

    const { body } = await call('tools/list')
    const names = eachOf({ body: { items: body.result.tools } }, 'name')
    const { body: called } = await call('tools/call', { name: 'list_users', arguments: {} })

    assert.ok(
      names.some((name) => /audit/.test(name)),
      names.join(),
    )
    assert.ok(!names.some((name) => /list_users/.test(name)), names.join())
    assert.ok(called.error ?? called.result?.isError, JSON.stringify(called))
  })
})
