import { z } from 'zod'
import { routes } from '../../src/app.ts'
import type { Route } from '../../src/http/route.ts'
import { PASSWORD } from '../ours.ts'
import { ANN, BEN, OTHERS, TOKENS } from './full-tables.ts'

/** What one call of a route is sent. `i` counts the calls of this route. */
export interface Sent {
  readonly by: keyof typeof TOKENS | 'nobody'
  readonly body?: object
  readonly query?: string
  readonly form?: Readonly<Record<string, string>>
}

/** What a route is asked; a body alone comes from somebody who may call the route. */
type Asked = object | ((i: number, feedbacks: readonly string[]) => object)
type Paths = (typeof routes)[number]['path']

const PAGE = { page: 1, page_size: 100 }
const LATER = { page: 12, page_size: 100 }
const UGLY = '\u0001'.repeat(10_000)
const LONG = '語'.repeat(9_999)
const LINK = `ghl_${'a'.repeat(43)}`
const by = (who: Sent['by'], body: object = {}): Sent => ({ by: who, body })
const query = (text: string, who: Sent['by'] = 'nobody'): Sent => ({ by: who, query: text })
const form = (fields: Readonly<Record<string, string>> = {}): Sent => ({ by: 'nobody', form: fields })
const other = (i: number) => OTHERS[i] ?? BEN
const addresses = (count: number) =>
  Array.from({ length: count }, (_, i) => `https://example.com/${'a'.repeat(2_000)}${i}`)

/** Several ways to ask one route, each by its name. */
type Ways = readonly (readonly [name: string, asked: Asked])[]
const ways = (named: Readonly<Record<string, Asked>>): Ways => Object.entries(named)
const isWays = (asked: Asked | Ways): asked is Ways => Array.isArray(asked)

const pages = (more: object = {}) => ({ '': { ...more, ...PAGE }, 'page 12': { ...more, ...LATER } })
const LISTS = { ...pages(), search: { ...PAGE, search: '語 zzz' } }
/** One of those that no other route uses up. */
const later = (kind: string) => (i: number) => ({ id: `${kind} ${100 + i}` })
const alike = (asked: Asked, ...paths: readonly Paths[]) => Object.fromEntries(paths.map((path) => [path, asked]))

/**
 * What a required field is sent, if `ASKED` says nothing else of its route. Strangers are refused before or after they
 * are looked up, whatever is stored; so is Ann, who is a member of no organisation.
 */
const REQUIRED: Readonly<Record<string, unknown>> = {
  ...{ email: 'person-0@example.com', password: 'not it at all', otp: '000000', type: 'email-verification' },
  ...{ sessionToken: 'ghs_a', link: LINK, token: 'a', response: {}, name: '語'.repeat(60), to: 'a@example.com' },
  ...{ currentPassword: 'not it', newPassword: 'a bench by the gate', newEmail: 'another@example.com' },
  ...{ provider: 'provider_a', providerId: 'community', language: 'zh', beta_code: 'none', hook: 'before_token' },
  ...{ invitationId: 'an invitation', slug: 'rowers', memberId: 'a member', memberIdOrEmail: 'person-0@example.com' },
  ...{ role: 'member', permission: {}, teamId: 'a team', userId: BEN, data: { name: '語'.repeat(100) } },
  ...{ organization_id: 'an organisation', user_id: BEN, roles: ['member'], scopes: ['account:profile:read'] },
  ...{ client_name: '語'.repeat(60), redirect_uris: ['http://127.0.0.1/callback'] },
  ...{ request_id: 'a', approve: true, expires_in_days: 1, expected_version: 1 },
}

/** What a field is sent that a route may do without. */
const OPTIONAL = {
  organizationId: 'an organisation',
  roleName: 'cox',
  client_id: 'cli-client',
  limit: 1_000,
  count: 100,
}

/** Routes that are asked in another way than `usual`. */
const ASKED: Partial<Record<Paths, Asked | Ways>> = {
  '/readyz': query('all'),
  '/api/auth/sign-up/email': (i) => ({ email: `new-${i}@example.com`, password: PASSWORD, name: '語'.repeat(250) }),
  '/api/auth/get-session': by('ann'),
  '/api/admin/preview_letter': query('kind=reset&language=en', 'administrator'),
  '/api/admin/preview_palette': { accent: '#1d5c4c', css: '.gh-card{}'.repeat(1_000) },
  '/api/auth/update-user': { name: '語'.repeat(250) },
  '/api/update_organization_data': { organization_id: 'an organisation', own: { name: UGLY.slice(0, 1_000) } },
  '/api/auth/organization/has-permission': { organizationId: 'an organisation', permissions: { ac: ['read'] } },
  '/api/admin/list_organizations': ways(LISTS),
  '/api/admin/update_organization': { id: 'an organisation', name: '語'.repeat(100) },
  '/api/admin/suspend_organization': { id: 'an organisation', reason: 'One' },
  ...alike({ id: 'an organisation' }, '/api/admin/get_organization', '/api/admin/get_organization_data'),
  ...alike({ id: 'an organisation' }, '/api/admin/restore_organization', '/api/admin/delete_organization'),
  '/api/admin/update_organization_data': { id: 'an organisation', public: { name: UGLY.slice(0, 1_000) } },
  '/api/update_data': (i) => ({ own: { [`name ${i % 9}`]: UGLY.slice(0, 1_000) } }),
  '/api/admin/update_user_data': (i) => ({ id: ANN, public: { [`name ${i % 9}`]: UGLY.slice(0, 1_000) } }),
  ...alike({ password: 'not it' }, '/api/auth/delete-user', '/api/auth/confirm'),
  '/api/auth/two-factor/enable': { issuer: '語'.repeat(60) },
  '/api/auth/two-factor/verify-totp': by('ann', { code: '000000' }),
  '/api/auth/two-factor/verify-backup-code': by('ann', { code: 'aaaaa-aaaaa' }),
  '/api/auth/two-factor/revoke-trusted-device': (i) => ({ id: `device ${ANN} ${i}` }),
  '/api/auth/passkey/update-passkey': { id: 'passkey 0', name: '語'.repeat(64) },
  '/api/auth/passkey/delete-passkey': (i) => ({ id: `passkey ${i + 1}` }),
  '/api/auth/passkey/generate-authenticate-options': by('ann'),
  '/api/auth/revoke-session': (i) => ({ token: `${ANN} ${i + 1}` }),
  '/api/auth/revoke-sessions': by('nobody'),
  '/api/auth/revoke-other-sessions': { tools: 'x' },
  '/api/admin/remove_factors': (i) => ({ id: other(i) }),
  '/api/admin/revoke_user_sessions': (i) => ({ id: other(10 + i) }),
  ...alike((i) => ({ id: other(20 + i), reason: 'One' }), '/api/admin/suspend_user', '/api/admin/restore_user'),
  '/api/admin/delete_user': (i) => ({ id: other(40 + i) }),
  '/api/admin/mark_verified': (i) => ({ id: other(60 + i) }),
  '/api/auth/admin/impersonate-user': by('administrator', { userId: BEN, reason: 'One' }),
  '/api/list_impersonations': ways(pages()),
  '/api/admin/update_staff': (i) => ({ user_id: other(60 + i), scopes: ['admin:users:read'] }),
  '/api/admin/move_user': (i) => ({ id: other(80 + i), shard_id: 'weur-1' }),
  ...alike(query('code=a&state=b'), '/api/auth/callback/provider_a', '/api/auth/callback/provider_b'),
  '/api/auth/oauth2/callback/community': query('code=a&state=b'),
  '/api/auth/unlink-account': { providerId: 'provider_a' },
  '/api/submit_feedback': (i) => ({ type: `${i}`, content: LONG, context: { page: 'a'.repeat(2_000) } }),
  '/api/admin/list_feedbacks': ways({
    ...LISTS,
    'of one user': { ...PAGE, user_id: ANN },
    'by status': { ...PAGE, status: 'new' },
    'a search that finds all': { ...PAGE, search: '語' },
  }),
  '/api/admin/update_feedback': (i, feedbacks) => ({ id: feedbacks[i], user_id: ANN, note: UGLY }),
  '/api/admin/reply_to_feedback': (i, feedbacks) => ({ id: feedbacks[i], user_id: ANN, text: LONG }),
  '/api/list_notifications': ways({
    ...pages(),
    unread: { ...PAGE, read: false },
    read: { ...PAGE, read: true },
    'of a type': { ...PAGE, type: '語'.repeat(64) },
  }),
  '/api/read_notification': (i) => ({ id: `a mark ${i}` }),
  '/api/update_notification_preferences': {
    items: Array.from({ length: 100 }, (_, i) => ({ type: `${'語'.repeat(60)}${i}`, email: 'each' })),
  },
  '/api/unsubscribe': query('token=a'),
  '/api/admin/create_notification': { title: 'One', content: LONG, target_user_id: ANN },
  '/api/admin/count_audience': { type: 'system' },
  '/api/admin/update_notification': (i) => ({ id: `notification ${i}`, content: LONG }),
  ...alike(later('notification'), '/api/admin/archive_notification', '/api/admin/restore_notification'),
  '/api/live': by('nobody'),
  '/api/revoke_grant': (i) => ({ id: `grant ${500 + i}` }),
  '/api/admin/find': ways({
    id: { text: ANN },
    name: { text: 'zzz' },
    secret: { sha256: '0'.repeat(64) },
  }),
  '/api/admin/list_user_grants': ways(pages({ user_id: ANN })),
  '/api/admin/revoke_user_grant': (i) => ({ user_id: ANN, id: `grant ${520 + i}` }),
  '/api/oauth/respond': query('form=a'),
  '/api/oauth/device_authorization': form({ client_id: 'cli-client', scope: 'account:profile:read' }),
  '/api/oauth/token': form({
    ...{ grant_type: 'authorization_code', client_id: 'cli-client', code: 'a' },
    ...{ redirect_uri: 'http://127.0.0.1:1/callback', code_verifier: 'a'.repeat(43) },
  }),
  '/api/oauth/revoke': form({ client_id: 'cli-client', token: 'a' }),
  '/api/oauth/client_logo': query('client_id=cli-client'),
  '/api/oauth/userinfo': by('tool'),
  '/api/oauth/introspect': form({ token: TOKENS.tool, client_id: 'a', client_secret: 'b' }),
  '/api/oauth/revocations': { client_id: 'a', client_secret: 'b' },
  '/api/admin/create_application': { name: 'Shop', kind: 'web', redirect_uris: addresses(20) },
  '/api/admin/update_application': (i) => ({ id: `application ${i}`, name: '語'.repeat(100) }),
  ...alike((i) => ({ id: `application ${i}` }), '/api/admin/get_application', '/api/admin/list_application_refusals'),
  '/api/admin/get_receipt': (i) => ({ kind: 'session', id: `session ${i}` }),
  '/api/admin/rotate_application_secret': (i) => ({ id: `application ${i}` }),
  '/api/admin/delete_application': later('application'),
  '/api/admin/declare_product_scope': (i) => ({ scope: `product:b-${i}:read`, description: '語'.repeat(200) }),
  '/api/admin/delete_product_scope': (i) => ({ scope: `product:area-${100 + i}:read` }),
  '/api/admin/save_reply': (i) => ({ name: `Reply ${i}`, text: LONG }),
  '/api/admin/delete_reply': (i) => ({ id: `reply ${i}` }),
  '/api/admin/save_view': (i) => {
    const filters = Array.from({ length: 200 }, (_, n) => [`f ${n}`, 'a'.repeat(254)])
    return { list: 'users', name: `View ${i}`, filters: Object.fromEntries(filters) }
  },
  '/api/admin/delete_view': (i) => ({ id: `view ${90 + i}` }),
  '/api/revoke_personal_token': (i) => ({ id: `grant ${i}` }),
  '/api/admin/update_authentication_config': (i) => {
    const domains = Array.from({ length: 1_000 }, (_, n) => `${n}-${'a'.repeat(30)}.example.com`)
    return { expected_version: 1 + i, email_signup_domain_allowlist: domains }
  },
  '/api/admin/preview_token': { claims: { plan: 'user.public.plan', tenant: 'organization.public.tenant' } },
  '/api/admin/update_brand_config': (i) => ({ expected_version: 1 + i, logo: { action: 'replace', value: LOGO } }),
  '/api/admin/list_user_credits': ways(pages({ id: ANN })),
  '/api/admin/give_credits': { id: ANN, amount: 1, note: 'One' },
  '/api/admin/list_beta_codes': ways(LISTS),
  '/api/admin/list_users': ways({ ...LISTS, 'by name': { ...PAGE, search: '語' } }),
  ...alike({ id: ANN }, '/api/admin/get_user', '/api/admin/get_user_data', '/api/admin/send_password_reset'),
  '/api/admin/create_user': (i) => ({ email: `made-${i}@example.com` }),
  '/api/admin/invite_user': (i) => ({ email: `invited-${i}@example.com` }),
  '/api/admin/update_shard': { id: 'oc-1', state: 'active' },
  '/api/admin/list_audit_entries': ways({
    ...LISTS,
    'about a user': { ...PAGE, user_id: ANN },
    'by an address': { ...PAGE, search: 'person-0@' },
  }),
  '/api/admin/create_webhook': { url: 'https://example.com/hook', types: [] },
  '/api/admin/update_webhook': (i) => ({ id: `webhook ${i}`, enabled: false }),
  '/api/admin/delete_webhook': (i) => ({ id: `webhook ${90 + i}` }),
  ...alike({ id: 'webhook 1' }, '/api/admin/rotate_webhook_secret', '/api/admin/test_webhook'),
  '/api/admin/list_webhook_deliveries': ways(pages({ webhook_id: 'webhook 0' })),
  '/api/admin/redeliver': (i) => ({ id: `delivery ${i}` }),
  '/api/verify': query('', 'tool'),
  '/api/update_grant': { id: 'grant 610', daily_limit: 10 },
  '/api/decide_approval': { id: 'a', approve: false },
  '/api/get_approval': by('nobody', { id: 'a' }),
  '/api/list_grant_acts': ways(pages({ id: 'grant 600' })),
}

const LOGO = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${'<g/>'.repeat(36_000)}</svg>`,
).toString('base64')

export interface Question {
  readonly what: string
  readonly route: Route
  readonly sentAt: (i: number) => Sent
}

/** `feedbacks` are ids of Ann's. */
export function questions(feedbacks: readonly string[]): readonly Question[] {
  const declared: readonly Route[] = routes
  return declared.flatMap((route) => {
    const asked = ASKED[route.path as Paths] ?? usual(route)
    return (isWays(asked) ? asked : ways({ '': asked })).map(([way, each]) => ({
      what: `${route.method === 'GET' ? 'GET ' : ''}${route.path}${way && `, ${way}`}`,
      route,
      sentAt: (i: number) => sentBy(route, typeof each === 'function' ? each(i, feedbacks) : each),
    }))
  })
}

function sentBy({ access, path }: Route, asked: object): Sent {
  if (isSent(asked)) return asked
  return by(access === 'public' ? 'nobody' : path.startsWith('/api/admin/') ? 'administrator' : 'ann', asked)
}

function isSent(asked: object): asked is Sent {
  return 'by' in asked
}

/** Two pages of a list, or the fields that the route declares. Throws if the route needs another request. */
function usual({ method, path, input }: Route): Asked | Ways {
  const accepts = (body: object) => input.safeParse(body).success
  if (accepts(PAGE) && !accepts({ ...PAGE, page: 0 })) return ways(pages())
  if (method === 'GET') return {}
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
  const sent: Readonly<Record<string, unknown>> = { ...REQUIRED, ...OPTIONAL }
  const names = Object.keys(properties).filter((name) => required.includes(name) || name in OPTIONAL)
  const missing = names.find((name) => !(name in sent))
  if (missing !== undefined) throw new Error(`say in ASKED how ${path} is asked, or what each ${missing} is`)
  return Object.fromEntries(names.map((name) => [name, sent[name]]))
}
