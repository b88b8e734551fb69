import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Part } from '../../../src/features/ground/settings/model.ts'
import { assertRefused } from '../../service/answers.ts'
import { addPasskey, SecurityKey } from '../../service/devices/security-key.ts'
import { grantFor } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'

const letters = (length: number) => 'a'.repeat(length)
const list = (length: number, of: (index: number) => unknown) => Array.from({ length }, (_, i) => of(i))
/** The longest valid address: 64 characters before the at sign, labels of 63 behind it. */
const address = (length: number) => {
  const domain = `${letters(63)}.${letters(63)}.${letters(length - 65 - 63 - 1 - 63 - 1 - 4)}.com`
  return `${letters(64)}@${domain}`
}
const url = (length: number) => `https://example.com/${letters(length - 20)}`

/** `sized` makes a value of that size; without it the number itself is sent. `beside` is what else the route needs. */
type Edge = readonly [
  path: string,
  field: string,
  least: number | undefined,
  most: number | undefined,
  sized?: (size: number) => unknown,
  beside?: Beside,
]
type Beside = Readonly<Record<string, unknown>>

const idea = { type: 'idea', content: 'More light.' }
const notification = { title: 'Closed on Monday', content: 'All day.' }
const token = { name: 'Deploys', scopes: ['account:profile:read'], expires_in_days: 1 }
const application = { name: 'Shop', kind: 'browser', redirect_uris: ['https://shop.example/callback'] }
const view = { list: 'users', name: 'All', filters: {} }
const number = (size: number): unknown => size
const preference = () => ({ type: 'system', email: 'each' })
const picture = (length: number) => `https://lh3.googleusercontent.com/${letters(length - 34)}`
const addresses = (length: number) => list(length, (i) => `https://shop.example/${i}`)

const ofUsers = (grant: string, passkey: string): readonly Edge[] => [
  ['/api/submit_feedback', 'content', 1, 10_000, letters, idea],
  ['/api/submit_feedback', 'type', undefined, 64, letters, idea],
  ['/api/submit_feedback', 'context', undefined, 2_048, (size) => ({ page: letters(size - 11) }), idea],
  ['/api/update_notification_preferences', 'items', undefined, 100, (size) => list(size, preference)],
  ['/api/list_notifications', 'page_size', 1, 100],
  ['/api/list_notifications', 'page', 1, undefined],
  ['/api/read_notification', 'id', 1, 128, letters],
  ['/api/create_personal_token', 'expires_in_days', 1, 366, number, token],
  ['/api/create_personal_token', 'name', 1, 100, letters, token],
  ['/api/create_personal_token', 'scopes', 1, 64, (size) => list(size, () => token.scopes[0]), token],
  ['/api/update_grant', 'daily_limit', 1, 1_000_000, number, { id: grant }],
  ['/api/auth/update-user', 'name', 1, 254, letters],
  ['/api/auth/update-user', 'image', undefined, 2_048, picture],
  ['/api/auth/two-factor/enable', 'issuer', 1, 64, letters],
  ['/api/auth/passkey/update-passkey', 'name', 1, 64, letters, { id: passkey }],
]

const ofTheAdministrator = (user: string, feedback: Beside): readonly Edge[] => [
  ['/api/admin/create_notification', 'title', 1, 200, letters, notification],
  ['/api/admin/create_notification', 'content', 1, 10_000, letters, notification],
  ['/api/admin/create_notification', 'type', 1, 64, letters, notification],
  ['/api/admin/create_notification', 'link', undefined, 2_048, url, notification],
  ['/api/admin/list_feedbacks', 'page_size', 1, 100],
  ['/api/admin/list_feedbacks', 'search', undefined, 200, letters],
  ['/api/admin/update_feedback', 'note', undefined, 10_000, letters, feedback],
  ['/api/admin/reply_to_feedback', 'text', 1, 10_000, letters, feedback],
  ['/api/admin/list_users', 'page_size', 1, 100],
  ['/api/admin/list_users', 'search', undefined, 254, letters],
  ['/api/admin/list_audit_entries', 'search', undefined, 254, letters],
  ['/api/admin/list_audit_entries', 'action', 1, 64, (size) => list(size, () => 'user.create')],
  ['/api/admin/list_audit_entries', 'ip', undefined, 64, letters],
  ['/api/admin/list_events', 'limit', 1, 1_000],
  ['/api/admin/list_events', 'wait_seconds', 0, 25],
  ['/api/admin/list_events', 'types', undefined, 64, (size) => list(size, () => 'user.created')],
  ['/api/admin/get_figures', 'days', 1, 90],
  ['/api/admin/generate_beta_codes', 'count', 1, 1_000],
  ['/api/admin/list_beta_codes', 'search', undefined, 64, letters],
  ['/api/admin/give_credits', 'amount', 1, 1_000_000_000, number, { id: user }],
  ['/api/admin/give_credits', 'note', 1, 500, letters, { id: user, amount: 1 }],
  ['/api/admin/save_view', 'name', 1, 64, letters, view],
  ['/api/admin/create_user', 'email', undefined, 254, address],
  ['/api/admin/suspend_user', 'reason', 1, 500, letters, { id: user }],
  ['/api/admin/declare_product_scope', 'description', 1, 200, letters, { scope: 'product:tea:read' }],
  ['/api/admin/create_application', 'name', 1, 100, letters, application],
  ['/api/admin/create_application', 'logo_url', undefined, 2_048, url, application],
  ['/api/admin/create_application', 'redirect_uris', undefined, 20, addresses, application],
  ['/api/admin/create_application', 'post_logout_redirect_uris', undefined, 20, addresses, application],
  ['/api/admin/create_application', 'resource', undefined, 2_048, url, application],
  ['/api/admin/create_application', 'scopes', undefined, 64, (size) => list(size, () => token.scopes[0]), application],
  ['/api/admin/create_webhook', 'url', undefined, 2_000, url],
]

type SettingsEdge = readonly [
  part: Part,
  field: string,
  least: number | undefined,
  most: number,
  sized?: (size: number) => unknown,
]

const domains = (length: number) => list(length, (i) => `d${i}.example`)
const origins = (length: number) => list(length, (i) => `https://o${i}.example`)

const OF_SETTINGS: readonly SettingsEdge[] = [
  ['authentication', 'email_user_action_cooldown_seconds', 0, 86_400],
  ['authentication', 'email_signup_domain_allowlist', undefined, 1_000, domains],
  ['authentication', 'provider_a_client_id', undefined, 512, letters],
  ['email', 'smtp_host', undefined, 253, letters],
  ['email', 'smtp_port', 1, 65_535],
  ['email', 'smtp_user', undefined, 320, letters],
  ['credits', 'signup_reward_amount', 0, 1_000_000_000],
  ['ai', 'model', undefined, 256, letters],
  ['ai', 'base_url', undefined, 2_048, url],
  ['brand', 'name', undefined, 64, letters],
  ['brand', 'home_url', undefined, 2_048, url],
  ['brand', 'return_origins', undefined, 100, origins],
]

describe('a limit', () => {
  it('holds at its edge: what is just within is taken, what is just past it is refused by name', async ({
    service,
    administrator,
    ann,
  }) => {
    await grantFor(ann, 'account:profile:read')
    await addPasskey(ann, new SecurityKey(service.config.baseUrl))
    const [grant] = (await ann.post('/api/list_grants')).body.items
    const [passkey] = (await ann.get('/api/auth/passkey/list-user-passkeys')).body
    const feedback = (await ann.post('/api/submit_feedback', idea)).body
    // A list that has any does not wait.
    await service.runJob('events')

    await holds(ann, ofUsers(grant.id, passkey.id))
    await holds(administrator, ofTheAdministrator(ann.id, { id: feedback.id, user_id: ann.id }))
  })

  it('of a setting holds at its edge', async ({ administrator }) => {
    for (const [part, field, least, most, sized = number] of OF_SETTINGS) {
      const save = async (size: number) => {
        const { version } = (await administrator.post(`/api/admin/get_${part}_config`)).body
        const sent = { expected_version: version, [field]: sized(size) }
        return administrator.post(`/api/admin/update_${part}_config`, sent)
      }
      if (least !== undefined) {
        assert.equal((await save(least)).status, 200, `${field} ${least}`)
        assertRefused(await save(least - 1), 'INVALID_REQUEST', field)
      }
      assert.equal((await save(most)).status, 200, `${field} ${most}`)
      assertRefused(await save(most + 1), 'INVALID_REQUEST', field)
    }
  })

  it('of a secret holds at its edge', async ({ administrator }) => {
    const save = (length: number) => {
      const api_key = { action: 'replace', value: letters(length) }
      return administrator.post('/api/admin/update_ai_config', { expected_version: 1, api_key })
    }

    assertRefused(await save(4_097), 'INVALID_REQUEST', 'api_key.value')
    assert.equal((await save(4_096)).status, 200)
  })

  it('of a logo holds at its edge', async ({ administrator }) => {
    const save = (bytes: number) => {
      const svg = `${'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'.padEnd(bytes - 6)}</svg>`
      const logo = { action: 'replace', value: Buffer.from(svg).toString('base64') }
      return administrator.post('/api/admin/update_brand_config', { expected_version: 1, logo })
    }

    assertRefused(await save(200 * 1_024 + 1), 'INVALID_REQUEST', 'logo.value')
    assert.equal((await save(200 * 1_024)).status, 200)
  })
})

async function holds(person: Person, edges: readonly Edge[]): Promise<void> {
  for (const [path, field, least, most, sized = number, beside = {}] of edges) {
    const send = (size: number) => person.post(path, { ...beside, [field]: sized(size) })
    for (const size of [least, most].filter((edge) => edge !== undefined)) {
      const { status, body } = await send(size)
      assert.equal(status, 200, `${path} ${field} ${size}: ${JSON.stringify(body)}`)
    }
    if (least !== undefined) assertRefused(await send(least - 1), 'INVALID_REQUEST', field)
    if (most !== undefined) assertRefused(await send(most + 1), 'INVALID_REQUEST', field)
  }
}
