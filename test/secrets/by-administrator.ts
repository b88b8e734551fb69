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
  await programs(world, caller, ask)
  await settings(world, caller, ask)
  await organization(world, caller, ask)
  await allOrganizations(world, caller, ask)
}

type Ask = (name: string, body?: object) => Promise<Done['body']>

async function organization({ administrator }: World, caller: Caller, ask: Ask): Promise<void> {
  const post = (name: string, body: object) => ask(`auth/organization/${name}`, body)
  const get = async (name: string, query: string) => {
    const answer = await caller.get(`/api/auth/organization/${name}?${query}`)
    assert.ok(answer.status < 400, `${caller.name}, ${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  const slug = `rowers-${caller.name}`
  await post('check-slug', { slug })
  const { id: organizationId, members } = await post('create', { name: 'Rowers', slug })
  const [{ id: memberId }] = members
  const { id: userId } = administrator
  const here = `organizationId=${organizationId}`
  await post('update', { organizationId, data: { metadata: { tier: 'gold' } } })
  await ask('get_organization_data', { organization_id: organizationId })
  await ask('update_organization_data', { organization_id: organizationId, own: { tier: 'silver' } })
  await ask('admin/get_organization_data', { id: organizationId })
  await ask('admin/update_organization_data', { id: organizationId, private: { note: 'One' } })
  await post('create-role', { organizationId, role: 'cox', permission: {} })
  await post('update-role', { organizationId, roleName: 'cox', data: { permission: { ac: ['read'] } } })
  await post('update-member-role', { organizationId, memberId, role: 'owner,cox' })
  await post('has-permission', { organizationId, permissions: { ac: ['read'] } })
  const { id: teamId } = await post('create-team', { organizationId, name: 'Eight' })
  await post('update-team', { teamId, data: { organizationId, name: 'Four' } })
  await post('add-team-member', { organizationId, teamId, userId })
  for (const name of ['list', 'get-organization', 'get-full-organization', 'list-members', 'list-roles', 'list-teams'])
    await get(name, here)
  await get('list-user-teams', here)
  await get('list-team-members', `${here}&teamId=${teamId}`)
  await get('get-role', `${here}&roleName=cox`)
  await post('remove-team-member', { organizationId, teamId, userId })
  await post('remove-team', { organizationId, teamId })
  await post('update-member-role', { organizationId, memberId, role: 'owner' })
  await post('delete-role', { organizationId, roleName: 'cox' })
  const { id: invitationId } = await post('invite-member', { organizationId, email: GUEST, role: 'member' })
  await get('list-invitations', here)
  await post('cancel-invitation', { invitationId })
}

const GUEST = 'guest@secrets.example'

/** Organisations from outside; the administrator is invited to one of them. */
async function allOrganizations({ recorder, administrator }: World, caller: Caller, ask: Ask): Promise<void> {
  const { name } = caller
  const { id } = await ask('admin/create_organization', { name: `Sailors of ${name}`, slug: `sailors-${name}` })
  await ask('admin/list_organizations')
  await ask('admin/read_organizations')
  await ask('admin/read_members')
  await ask('admin/get_organization', { id })
  await ask('admin/update_organization', { id, name: `Sailors by ${name}` })
  const person = new Person(recorder, `member-for-${name}@secrets.example`, `an oar that ${name} chose`)
  await person.signUp()
  const member = { organization_id: id, user_id: person.id }
  await ask('admin/add_member', { ...member, roles: ['member'] })
  await ask('admin/update_member', { ...member, roles: ['admin'] })
  await ask('admin/list_organization_members', { organization_id: id })
  await ask('admin/invite_member', { organization_id: id, email: administrator.email, roles: ['admin'] })
  const { body: waiting } = await administrator.get('/api/auth/organization/list-user-invitations')
  const [{ id: invitationId }] = waiting
  for (const path of [`get-invitation?id=${invitationId}`, 'list-user-invitations'])
    assert.equal((await caller.get(`/api/auth/organization/${path}`)).status, 200)
  await ask('auth/organization/accept-invitation', { invitationId })
  await ask('auth/organization/remove-member', { organizationId: id, memberIdOrEmail: person.email })
  await ask('auth/organization/leave', { organizationId: id })
  const again = await ask('admin/invite_member', {
    organization_id: id,
    email: administrator.email,
    roles: ['member'],
  })
  await ask('auth/organization/reject-invitation', { invitationId: again.id })
  await ask('admin/add_member', { ...member, roles: ['member'] })
  await ask('admin/remove_member', member)
  await ask('admin/suspend_organization', { id, reason: 'One' })
  await ask('admin/restore_organization', { id })
  assert.equal((await administrator.post('/api/admin/delete_organization', { id })).status, 200)
}

async function ofTheirOwn({ administrator }: World, { name }: Caller, ask: Ask): Promise<void> {
  await ask('auth/update-user', { name: `Administrator by ${name}` })
  await ask('submit_feedback', { type: 'idea', content: 'More doors' })
  const { items } = await ask('list_own_feedbacks')
  const feedback = { id: items[0].id, user_id: administrator.id }
  await ask('admin/list_feedbacks')
  await ask('admin/update_feedback', { ...feedback, note: 'Seen' })
  await ask('admin/reply_to_feedback', { ...feedback, text: 'Thanks' })
  const reply = await ask('admin/save_reply', { name: `Thanks by ${name}`, text: 'Thanks' })
  await ask('admin/list_replies')
  await ask('admin/delete_reply', { id: reply.id })
  const { id } = await ask('admin/create_notification', { title: 'News', content: 'One' })
  await ask('admin/count_audience')
  await ask('admin/list_notifications')
  await ask('admin/update_notification', { id, content: 'Two' })
  await ask('list_notifications')
  await ask('count_unread_notifications')
  await ask('read_notification', { id })
  await ask('read_all_notifications')
  await ask('update_data', { own: { theme: 'dark' } })
  await ask('get_data')
  await ask('get_notification_preferences')
  await ask('update_notification_preferences', { items: [{ type: 'news', email: 'each' }] })
  await ask('admin/archive_notification', { id })
  await ask('admin/restore_notification', { id })
  await ask('get_credit_summary')
  await ask('list_credit_entries')
  await ask('list_impersonations')
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
  await ask('admin/read_users')
  await ask('admin/get_user', { id })
  await ask('admin/update_user_data', { id, public: { plan: 'pro' }, private: { note: 'One' } })
  await ask('admin/get_user_data', { id })
  await ask('admin/find', { text: id })
  await ask('admin/list_user_grants', { user_id: id })
  await ask('admin/list_user_credits', { id })
  await ask('admin/give_credits', { id, amount: 1, note: 'One' })
  await ask('admin/send_password_reset', { id })
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 1 }
  const { body: token } = await person.post('/api/create_personal_token', wanted)
  await ask('admin/revoke_user_grant', { user_id: id, id: token.id })
  await ask('admin/revoke_user_sessions', { id })
  await ask('admin/suspend_user', { id, reason: 'One' })
  await ask('admin/get_receipt', { kind: 'user', id })
  await ask('admin/list_verifiers')
  await ask('admin/restore_user', { id, reason: 'One' })
  const { items } = await ask('admin/list_shards')
  await ask('admin/update_shard', { id: items[0].id, state: 'active' })
  await ask('admin/move_user', { id, shard_id: items[1].id })
  await ask('admin/delete_user', { id })
  await ask('admin/list_audit_entries')
  await ask('admin/list_events')
  await ask('admin/get_figures')
  await ask('admin/get_overview')
  await ask('admin/list_latest')
}

async function programs(world: World, { name }: Caller, ask: Ask): Promise<void> {
  const scope = `product:by-${name}:read`
  await ask('admin/declare_product_scope', { scope, description: 'Read' })
  await ask('admin/list_product_scopes')
  await ask('admin/delete_product_scope', { scope })
  const { id } = await ask('admin/create_application', { name: `Worker of ${name}`, kind: 'service' })
  const picture = replaced(LOGO.toString('base64'))
  await ask('admin/update_application', { id, brand: { logo: picture, logo_dark: picture, favicon: picture } })
  for (const file of ['', '_logo', '_logo_dark', '_favicon', '_style']) {
    const { status } = await world.administrator.get(`/api/brand/application${file}?client_id=${id}`)
    assert.equal(status, 200)
  }
  await ask('admin/list_applications')
  await ask('admin/get_application', { id })
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
  const picture = replaced(LOGO.toString('base64'))
  const { logo_url, logo_dark_url, favicon_url } = await save('brand', {
    ...{ logo: picture, logo_dark: picture, favicon: picture },
    radius: 4,
  })
  for (const url of [logo_url, logo_dark_url, favicon_url, '/api/brand/style']) await world.administrator.get(url)
  await save('credits', { signup_reward_amount: 1 })
  await save('assistants', {})
  await save('hooks', { before_token: { url: 'https://example.com/hook' } })
  await ask('admin/rotate_hook_secret', { hook: 'before_token' })
  await ask('admin/try_hook', { hook: 'before_token' })
  await ask('admin/list_hook_answers', { hook: 'before_token' })
  await ask('admin/preview_token', { claims: { plan: 'user.public.plan' } })
  await save('organizations', {})
  await ask('admin/send_test_email', { to: 'somebody@secrets.example' })
  await ask('admin/check_mail_domain')
  await ask('admin/list_product_pages')
  await ask('admin/list_letters', { language: 'en' })
  await ask('admin/preview_palette', { accent: '#1d5c4c' })
  const letter = await caller.get('/api/admin/preview_letter?kind=email-verification&language=en')
  assert.equal(letter.status, 200)
}
