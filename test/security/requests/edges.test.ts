import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../service/answers.ts'
import { it } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'

const letters = (length: number) => 'a'.repeat(length)
const list = (length: number, of: (index: number) => unknown) => Array.from({ length }, (_, i) => of(i))
/** An address as long as it may be: 64 characters before the at sign, labels of 63 behind it. */
const address = (length: number) => {
  const domain = `${letters(63)}.${letters(63)}.${letters(length - 65 - 63 - 1 - 63 - 1 - 4)}.com`
  return `${letters(64)}@${domain}`
}
const url = (length: number) => `https://example.com/${letters(length - 20)}`

interface Edge {
  readonly path: string
  readonly field: string
  /** What else the route needs. */
  readonly beside?: Readonly<Record<string, unknown>>
  readonly least?: number
  readonly most?: number
  /** A value of that size; without it the number itself. */
  readonly sized?: (size: number) => unknown
}

const notification = { title: 'Closed on Monday', content: 'All day.' }
const token = { name: 'Deploys', scopes: ['account:profile:read'], expires_in_days: 1 }
const application = { name: 'Shop', kind: 'browser', redirect_uris: ['https://shop.example/callback'] }

const OF_USERS: readonly Edge[] = [
  {
    path: '/api/submit_feedback',
    field: 'content',
    beside: { type: 'idea' },
    least: 1,
    most: 10_000,
    sized: letters,
  },
  {
    path: '/api/submit_feedback',
    field: 'type',
    beside: { content: 'More light.' },
    most: 64,
    sized: letters,
  },
  { path: '/api/list_notifications', field: 'page_size', least: 1, most: 100 },
  { path: '/api/list_notifications', field: 'page', least: 1 },
  { path: '/api/read_notification', field: 'id', least: 1, most: 128, sized: letters },
  { path: '/api/create_personal_token', field: 'expires_in_days', beside: token, least: 1, most: 366 },
  { path: '/api/create_personal_token', field: 'name', beside: token, least: 1, most: 100, sized: letters },
  { path: '/api/auth/update-user', field: 'name', least: 1, most: 254, sized: letters },
]

const OF_THE_ADMINISTRATOR: readonly Edge[] = [
  {
    path: '/api/admin/create_notification',
    field: 'title',
    beside: notification,
    least: 1,
    most: 200,
    sized: letters,
  },
  {
    path: '/api/admin/create_notification',
    field: 'content',
    beside: notification,
    least: 1,
    most: 10_000,
    sized: letters,
  },
  {
    path: '/api/admin/create_notification',
    field: 'type',
    beside: notification,
    least: 1,
    most: 64,
    sized: letters,
  },
  { path: '/api/admin/list_feedbacks', field: 'page_size', least: 1, most: 100 },
  { path: '/api/admin/list_users', field: 'page_size', least: 1, most: 100 },
  { path: '/api/admin/list_events', field: 'limit', least: 1, most: 1_000 },
  { path: '/api/admin/generate_beta_codes', field: 'count', least: 1, most: 1_000 },
  { path: '/api/admin/create_user', field: 'email', most: 254, sized: address },
  {
    path: '/api/admin/create_application',
    field: 'name',
    beside: application,
    least: 1,
    most: 100,
    sized: letters,
  },
  { path: '/api/admin/create_application', field: 'logo_url', beside: application, most: 2_048, sized: url },
  {
    path: '/api/admin/create_application',
    field: 'redirect_uris',
    beside: application,
    most: 20,
    sized: (length) => list(length, (i) => `https://shop.example/${i}`),
  },
  { path: '/api/admin/create_webhook', field: 'url', most: 2_000, sized: url },
]

interface SettingsEdge {
  readonly part: 'authentication' | 'credits' | 'ai' | 'brand'
  readonly field: string
  readonly least?: number
  readonly most: number
  readonly sized?: (size: number) => unknown
}

const domains = (length: number) => list(length, (i) => `d${i}.example`)
const origins = (length: number) => list(length, (i) => `https://o${i}.example`)

const OF_SETTINGS: readonly SettingsEdge[] = [
  { part: 'authentication', field: 'email_user_action_cooldown_seconds', least: 0, most: 86_400 },
  { part: 'authentication', field: 'email_signup_domain_allowlist', most: 1_000, sized: domains },
  { part: 'authentication', field: 'provider_a_client_id', most: 512, sized: letters },
  { part: 'credits', field: 'signup_reward_amount', least: 0, most: 1_000_000_000 },
  { part: 'ai', field: 'model', most: 256, sized: letters },
  { part: 'ai', field: 'base_url', most: 2_048, sized: url },
  { part: 'brand', field: 'name', most: 64, sized: letters },
  { part: 'brand', field: 'home_url', most: 2_048, sized: url },
  { part: 'brand', field: 'return_origins', most: 100, sized: origins },
]

describe('a limit', () => {
  it('holds at its edge: what is just within is taken, what is just past it is refused by name', async ({
    administrator,
    ann,
  }) => {
    await holds(ann, OF_USERS)
    await holds(administrator, OF_THE_ADMINISTRATOR)
  })

  it('of a setting holds at its edge', async ({ administrator }) => {
    for (const { part, field, least, most, sized = (size: number): unknown => size } of OF_SETTINGS) {
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
})

async function holds(person: Person, edges: readonly Edge[]): Promise<void> {
  for (const { path, field, beside = {}, least, most, sized = (size: number): unknown => size } of edges) {
    const send = (size: number) => person.post(path, { ...beside, [field]: sized(size) })
    for (const size of [least, most].filter((edge) => edge !== undefined)) {
      const { status, body } = await send(size)
      assert.equal(status, 200, `${path} ${field} ${size}: ${JSON.stringify(body)}`)
    }
    if (least !== undefined) assertRefused(await send(least - 1), 'INVALID_REQUEST', field)
    if (most !== undefined) assertRefused(await send(most + 1), 'INVALID_REQUEST', field)
  }
}
