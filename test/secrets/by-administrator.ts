import assert from 'node:assert/strict'
import { Person } from '../service/people.ts'
import { ASKED_BY_TOOLS, routeName } from './recorder.ts'
import type { World } from './world.ts'

interface Done {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
  readonly body: any
}

/** The administrator's browser, or a program of theirs whose calls wait for a tap. */
export interface Caller {
  readonly name: 'session' | 'tool'
  post(path: string, body?: object): Promise<Done>
  get(path: string): Promise<Done>
}

const LOGO = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>')
const replaced = (value: string) => ({ action: 'replace', value })

/**
 * Every route that needs a scope, with something secret wherever one takes a secret. What no program can ask for, the
 * administrator does also in the walk of a tool.
 */
export async function walkByAdministrator(world: World, caller: Caller): Promise<void> {
  const ask = async (name: string, body: object = {}) => {
    const path = `/api/${name}`
    const by = ASKED_BY_TOOLS.includes(routeName('POST', path)) ? caller : world.administrator
    const answer = await by.post(path, body)
    assert.ok(answer.status < 400, `${caller.name}, ${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await ofTheirOwn(world, caller, ask)
  await users(world, caller, ask)
  await programs(caller, ask)
  await settings(world, caller, ask)
}

type Ask = (name: string, body?: object) => Promise<Done['body']>

async function ofTheirOwn({ administrator }: World, { name }: Caller, ask: Ask): Promise<void> {
  await ask('auth/update-user', { name: `Administrator by ${name}` })
  await ask('submit_feedback', { type: 'idea', content: 'More doors' })
  const { items } = await ask('list_own_feedbacks')
  const feedback = { id: items[0].id, user_id: administrator.id }
  await ask('admin/list_feedbacks')
  await ask('admin/update_feedback', { ...feedback, note: 'Seen' })
  await ask('admin/reply_to_feedback', { ...feedback, text: 'Thanks' })
  const { id } = await ask('admin/create_notification', { title: 'News', content: 'One' })
  await ask('admin/list_notifications')
  await ask('admin/update_notification', { id, content: 'Two' })
  await ask('list_notifications')
  await ask('count_unread_notifications')
  await ask('read_notification', { id })
  await ask('read_all_notifications')
  await ask('get_notification_preferences')
  await ask('update_notification_preferences', { items: [{ type: 'news', email: 'each' }] })
  await ask('admin/archive_notification', { id })
  await ask('admin/restore_notification', { id })
  await ask('get_credit_summary')
  await ask('list_credit_entries')
  await ask('admin/generate_beta_codes', { count: 1 })
  await ask('admin/list_beta_codes')
}

async function users(world: World, { name }: Caller, ask: Ask): Promise<void> {
  const email = `made-by-${name}@secrets.example`
  const password = `the "long" wälk that ${name} chose`
  await ask('admin/create_user', { email, name: 'Made', ...(name === 'session' && { password }) })
  await ask('admin/invite_user', { email: `invited-by-${name}@secrets.example`, name: 'Invited' })
  const person = new Person(world.recorder, `signed-up-for-${name}@secrets.example`, password)
  await person.signUp()
  const { id } = person
  await ask('admin/list_users')
  await ask('admin/get_user', { id })
  await ask('admin/list_user_grants', { user_id: id })
  await ask('admin/list_user_credits', { id })
  await ask('admin/give_credits', { id, amount: 1, note: 'One' })
  await ask('admin/send_password_reset', { id })
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 1 }
  const { body: token } = await person.post('/api/create_personal_token', wanted)
  await ask('admin/revoke_user_grant', { user_id: id, id: token.id })
  await ask('admin/revoke_user_sessions', { id })
  await ask('admin/suspend_user', { id, reason: 'One' })
  await ask('admin/restore_user', { id, reason: 'One' })
  const { items } = await ask('admin/list_shards')
  await ask('admin/update_shard', { id: items[0].id, state: 'active' })
  await ask('admin/move_user', { id, shard_id: items[1].id })
  await ask('admin/delete_user', { id })
  await ask('admin/list_audit_entries')
  await ask('admin/list_events')
  await ask('admin/get_figures')
  await ask('admin/get_overview')
}

async function programs({ name }: Caller, ask: Ask): Promise<void> {
  const scope = `product:by-${name}:read`
  await ask('admin/declare_product_scope', { scope, description: 'Read' })
  await ask('admin/list_product_scopes')
  await ask('admin/delete_product_scope', { scope })
  const { id } = await ask('admin/create_application', { name: `Worker of ${name}`, kind: 'service' })
  await ask('admin/list_applications')
  await ask('admin/update_application', { id, name: `Helper of ${name}` })
  await ask('admin/rotate_application_secret', { id })
  await ask('admin/list_application_refusals', { id })
  await ask('admin/delete_application', { id })
  const webhook = await ask('admin/create_webhook', { url: 'https://example.com/hook' })
  await ask('admin/list_webhooks')
  await ask('admin/update_webhook', { id: webhook.id, enabled: false })
  await ask('admin/rotate_webhook_secret', { id: webhook.id })
  await ask('admin/test_webhook', { id: webhook.id })
  await ask('admin/list_webhook_deliveries', { webhook_id: webhook.id })
  await ask('admin/redeliver', { webhook_id: webhook.id, failed_since: 0 })
  await ask('admin/delete_webhook', { id: webhook.id })
}

async function settings(world: World, caller: Caller, ask: Ask): Promise<void> {
  const { name } = caller
  const save = async (part: string, fields: object) => {
    const { version } = await ask(`admin/get_${part}_config`)
    return ask(`admin/update_${part}_config`, { expected_version: version, ...fields })
  }
  await save('ai', { api_key: replaced(`sk-"key" for ${name}`) })
  await save('email', {
    api_key: replaced(`re_"key" for ${name}`),
    smtp_host: 'mail.example.com',
    smtp_user: 'gatehouse',
    smtp_password: replaced(`a "mail" password for ${name}`),
  })
  const guarded = {
    provider_a_client_secret: replaced('GOCSPX-"a"'),
    provider_b_client_secret: replaced('GOCSPX-"b"'),
    community_client_secret: replaced('a "community" secret'),
  }
  await save('authentication', { registration_enabled: true, ...(name === 'session' && guarded) })
  const { logo_url } = await save('brand', { logo: replaced(LOGO.toString('base64')) })
  await world.administrator.get(logo_url)
  await save('credits', { signup_reward_amount: 1 })
  await save('assistants', {})
  await ask('admin/send_test_email', { to: 'somebody@secrets.example' })
  await ask('admin/check_mail_domain')
  await ask('admin/list_product_pages')
  await ask('admin/list_letters', { language: 'en' })
  await ask('admin/preview_palette', { accent: '#1d5c4c' })
  const letter = await caller.get('/api/admin/preview_letter?kind=email-verification&language=en')
  assert.equal(letter.status, 200)
}
