import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../service/answers.ts'
import { CALLBACK, register } from '../service/applications.ts'
import { grantFor } from '../service/grants.ts'
import { itWith } from '../service/it.ts'
import type { Person } from '../service/people.ts'
import { WITH_MAIL } from '../service/with-mail.ts'

const it = itWith(WITH_MAIL)
const SCOPE = 'product:orders:read'
const SECRET = { action: 'replace', value: 'a secret' }

const settings = (part: string, fields: object) =>
  [
    `update_${part}_config with ${Object.keys(fields).join()}`,
    `config:${part}:write`,
    `/api/admin/update_${part}_config`,
    async (administrator: Person) => {
      const { body } = await administrator.post(`/api/admin/get_${part}_config`)
      return { expected_version: body.version, ...fields }
    },
  ] as const

const application = (name: string, act: string, bodyFor: (administrator: Person) => Promise<object>) =>
  [name, 'admin:applications:write', `/api/admin/${act}`, bodyFor] as const

const declare = (administrator: Person) =>
  administrator.post('/api/admin/declare_product_scope', { scope: SCOPE, description: 'Orders' })

const quiet = async (administrator: Person) =>
  (await register(administrator, { skip_consent: true, scopes: ['openid'] })).client_id

/** Acts that decide where letters and browsers are sent, who can sign in as whom, and what a scope can do. */
const ACTS = [
  settings('email', { provider: null }),
  settings('email', { smtp_host: 'mail.example.net' }),
  settings('email', { smtp_port: 2525 }),
  settings('email', { smtp_user: 'postmaster' }),
  settings('email', { smtp_password: SECRET }),
  settings('email', { api_key: SECRET }),
  settings('authentication', { provider_a_client_id: 'another' }),
  settings('authentication', { provider_a_client_secret: SECRET }),
  settings('authentication', {
    provider_b_enabled: true,
    provider_b_client_id: 'id',
    provider_b_client_secret: SECRET,
  }),
  settings('authentication', { community_client_id: 'another' }),
  settings('authentication', { email_verification_required: true }),
  settings('authentication', { second_factor: 'off' }),
  settings('authentication', { impersonation: 'read_only' }),
  settings('authentication', { email_changes: 'verified' }),
  settings('authentication', { sign_in_letters: false }),
  settings('authentication', { unverified_account_days: 30 }),
  settings('brand', { return_origins: ['https://evil.example.com'] }),
  [
    'create_user with a password',
    'admin:users:write',
    '/api/admin/create_user',
    async () => ({ email: 'ceo@example.com', password: 'a quieter walk in the snow' }),
  ] as const,
  application('create_application with a key', 'create_application', async () => ({
    name: 'Shop',
    kind: 'web',
    redirect_uris: [CALLBACK],
    key: 'shop',
  })),
  application('create_application without consent', 'create_application', async () => ({
    name: 'Shop',
    kind: 'web',
    redirect_uris: [CALLBACK],
    skip_consent: true,
  })),
  application('update_application to go without consent', 'update_application', async (administrator) => ({
    id: (await register(administrator, { scopes: ['openid'] })).client_id,
    skip_consent: true,
  })),
  application('update_application to another address', 'update_application', async (administrator) => ({
    id: await quiet(administrator),
    redirect_uris: ['https://evil.example.com/callback'],
  })),
  application('update_application to a key', 'update_application', async (administrator) => ({
    id: (await register(administrator)).client_id,
    key: 'shop',
  })),
  [
    'create_webhook with a key',
    'admin:events:write',
    '/api/admin/create_webhook',
    async () => ({ url: 'https://crm.example/', key: 'crm' }),
  ] as const,
  [
    'update_webhook to a key',
    'admin:events:write',
    '/api/admin/update_webhook',
    async (administrator: Person) => {
      const { body } = await administrator.post('/api/admin/create_webhook', { url: 'https://crm.example/' })
      return { id: body.id, key: 'crm' }
    },
  ] as const,
  application('declare_product_scope in other words', 'declare_product_scope', async (administrator) => {
    await declare(administrator)
    return { scope: SCOPE, description: 'Nothing much' }
  }),
  application('delete_product_scope', 'delete_product_scope', async (administrator) => {
    await declare(administrator)
    return { scope: SCOPE }
  }),
]

describe('checklist 130: what would let a tool take over accounts', () => {
  it.for(ACTS)(
    '%s is done in a fresh session of the administrator only',
    async ([, scope, path, bodyFor], { service, administrator }) => {
      const sent = await bodyFor(administrator)
      const [tool, careful] = [await grantFor(administrator, scope), await grantFor(administrator, scope)]
      const { body: grants } = await administrator.post('/api/list_grants')
      await administrator.post('/api/update_grant', { id: grants.items[0].id, approval: 'writes' })

      const byTools = [await tool.post(path, sent), await careful.post(path, sent)]
      service.clock.advance({ minutes: 15, seconds: 1 })
      const stale = await administrator.post(path, sent)
      await administrator.post('/api/auth/confirm', { password: administrator.password })
      const fresh = await administrator.post(path, sent)

      for (const answer of byTools) assertRefused(answer, 'FORBIDDEN')
      assertRefused(stale, 'SESSION_NOT_FRESH')
      assert.equal(fresh.status, 200, JSON.stringify(fresh.body))
    },
  )
})

describe('checklist 130: a tool still does', () => {
  it('what sends no letter elsewhere: test letters, and the look-up of DNS records', async ({ administrator }) => {
    const tool = await grantFor(administrator, 'config:email:write', 'config:email:read')

    const answers = [
      await tool.post('/api/admin/send_test_email', { to: 'ops@example.com' }),
      await tool.post('/api/admin/check_mail_domain', {}),
    ]

    assert.deepEqual(statuses(answers), [200, 200])
  })

  it('the other fields of settings, beside guarded ones that stay as they are', async ({ administrator }) => {
    const tool = await grantFor(administrator, 'config:authentication:write', 'config:authentication:read')
    const save = (fields: object) => tool.post('/api/admin/update_authentication_config', fields)
    const { body } = await tool.post('/api/admin/get_authentication_config')
    const { version: expected_version, second_factor, provider_a_client_id } = body
    const same = { second_factor, provider_a_client_id, provider_a_client_secret: { action: 'keep' } }

    const saved = await save({ expected_version, ...same, registration_enabled: false })
    // The administrator could be changing it at this moment, which makes the present value another one.
    const ahead = await save({ expected_version: expected_version + 2, second_factor })

    assert.deepEqual([saved.status, saved.body.registration_enabled], [200, false])
    assertRefused(ahead, 'FORBIDDEN')
  })

  it('applications that ask, and product scopes that nobody has been told about', async ({ administrator }) => {
    const tool = await grantFor(administrator, 'admin:applications:write')
    const application = { name: 'Shop', kind: 'web', redirect_uris: [CALLBACK], scopes: ['openid'] }

    const made = await tool.post('/api/admin/create_application', application)
    const moved = { id: made.body.id, redirect_uris: ['https://shop.example.com/callback'] }
    const answers = [
      made,
      await tool.post('/api/admin/update_application', moved),
      await tool.post('/api/admin/update_application', { id: await quiet(administrator), name: 'Renamed' }),
      await tool.post('/api/admin/declare_product_scope', { scope: SCOPE, description: 'Orders' }),
      await tool.post('/api/admin/declare_product_scope', { scope: SCOPE, description: 'Orders' }),
    ]

    assert.deepEqual(statuses(answers), [200, 200, 200, 200, 200])
  })
})
