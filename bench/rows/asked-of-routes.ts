import { routes } from '../../src/app.ts'
import type { Route } from '../../src/http/route.ts'
import { ANN, BEN, OTHERS, TOKENS, type World } from './full-tables.ts'

/** What one call of a route is sent. `i` counts the calls of this route. */
export interface Sent {
  readonly by: keyof typeof TOKENS | 'nobody'
  readonly body?: object
  readonly query?: string
  readonly form?: Readonly<Record<string, string>>
}

type SentOrMade = Sent | ((i: number, world: World) => Sent)

const PAGE = { page: 1, page_size: 100 }
const LATER = { page: 12, page_size: 100 }
const UGLY = '\u0001'.repeat(10_000)
const by = (who: Sent['by'], body: object = {}): Sent => ({ by: who, body })
const ann = (body?: object) => by('ann', body)
const administrator = (body?: object) => by('administrator', body)
const nobody = (body?: object) => by('nobody', body)
const query = (text: string, who: Sent['by'] = 'nobody'): Sent => ({ by: who, query: text })
const form = (fields: Readonly<Record<string, string>> = {}): Sent => ({ by: 'nobody', form: fields })
const other = (i: number) => OTHERS[i] ?? BEN
/** Refused before or after the caller is looked up, whatever is stored. */
const STRANGER = { email: 'person-0@example.com', password: 'not it at all', name: 'Ann' }
const REFUSED = nobody({ ...STRANGER, otp: '000000', type: 'email-verification', link: 'a', response: {} })
const SAVED = administrator({ expected_version: 1 })

/** Several ways to ask one route, each by its name. */
type Ways = Readonly<Record<string, SentOrMade>>
const one = (asked: SentOrMade): Ways => ({ '': asked })
const pages = (who: Sent['by'], more: object = {}): Ways => ({
  '': by(who, { ...more, ...PAGE }),
  'page 12': by(who, { ...more, ...LATER }),
})
const lists = (more: object = {}): Ways => ({
  ...pages('administrator', more),
  search: administrator({ ...more, ...PAGE, search: '語 zzz' }),
})

type Paths = (typeof routes)[number]['path']

/** Routes that are asked in another way than `usual`. */
const ASKED: Partial<Record<Paths, Ways>> = {
  '/readyz': one(query('all')),
  '/api/auth/sign-up/email': one((i) =>
    nobody({ email: `new-${i}@example.com`, password: 'a bench by the gate', name: '語'.repeat(250) }),
  ),
  '/api/auth/get-session': one(ann()),
  '/api/admin/preview_letter': one(query('kind=reset&language=en', 'administrator')),
  '/api/admin/list_letters': one(administrator({ language: 'zh' })),
  '/api/admin/preview_palette': one(administrator({ accent: '#1d5c4c' })),
  '/api/auth/change-password': one(ann({ currentPassword: 'not it', newPassword: 'a bench by the gate' })),
  '/api/auth/update-user': one(ann({ name: '語'.repeat(250) })),
  '/api/auth/delete-user': one(ann({ password: 'not it' })),
  '/api/auth/confirm': one(ann({ password: 'not it' })),
  '/api/auth/two-factor/enable': one(ann({ issuer: '語'.repeat(60) })),
  '/api/auth/two-factor/verify-totp': one(ann({ code: '000000' })),
  '/api/auth/two-factor/verify-backup-code': one(ann({ code: 'aaaaa-aaaaa' })),
  '/api/auth/two-factor/revoke-trusted-device': one((i) => ann({ id: `device ${ANN} ${i}` })),
  '/api/auth/passkey/verify-registration': one(ann({ response: {} })),
  '/api/auth/passkey/update-passkey': one(ann({ id: 'passkey 0', name: '語'.repeat(64) })),
  '/api/auth/passkey/delete-passkey': one((i) => ann({ id: `passkey ${i + 1}` })),
  '/api/auth/passkey/generate-authenticate-options': one(ann()),
  '/api/admin/remove_factors': one((i) => administrator({ id: other(i) })),
  '/api/auth/revoke-session': one((i) => ann({ token: `${ANN} ${i + 1}` })),
  '/api/auth/revoke-sessions': one(by('nobody')),
  '/api/auth/revoke-other-sessions': one(ann({ tools: 'x' })),
  '/api/admin/revoke_user_sessions': one((i) => administrator({ id: other(10 + i) })),
  '/api/admin/suspend_user': one((i) => administrator({ id: other(20 + i), reason: 'One' })),
  '/api/admin/restore_user': one((i) => administrator({ id: other(20 + i), reason: 'One' })),
  '/api/auth/sign-in/social': one(nobody({ provider: 'provider_a' })),
  '/api/auth/sign-in/oauth2': one(nobody({ providerId: 'community' })),
  '/api/auth/callback/provider_a': one(query('code=a&state=b')),
  '/api/auth/callback/provider_b': one(query('code=a&state=b')),
  '/api/auth/oauth2/callback/community': one(query('code=a&state=b')),
  '/api/auth/link-social': one(ann({ provider: 'provider_a' })),
  '/api/auth/oauth2/link': one(ann({ providerId: 'community' })),
  '/api/auth/unlink-account': one(ann({ providerId: 'provider_a' })),
  '/api/submit_feedback': one((i) =>
    by('ann', { type: `${i}`, content: '語'.repeat(10_000), context: { page: 'a'.repeat(2_000) } }),
  ),
  '/api/admin/list_feedbacks': {
    ...lists(),
    'of one user': administrator({ ...PAGE, user_id: ANN }),
    'by status': administrator({ ...PAGE, status: 'new' }),
    'a search that finds all': administrator({ ...PAGE, search: '語' }),
  },
  '/api/admin/update_feedback': one((i, { feedbacks }) =>
    administrator({ id: feedbacks[i], user_id: ANN, note: UGLY }),
  ),
  '/api/admin/reply_to_feedback': one((i, { feedbacks }) =>
    administrator({ id: feedbacks[i], user_id: ANN, text: '語'.repeat(9_999) }),
  ),
  '/api/list_notifications': {
    ...pages('ann'),
    unread: ann({ ...PAGE, read: false }),
    read: ann({ ...PAGE, read: true }),
    'of a type': ann({ ...PAGE, type: '語'.repeat(64) }),
  },
  '/api/read_notification': one((i) => ann({ id: `a mark ${i}` })),
  '/api/update_notification_preferences': one(
    ann({ items: Array.from({ length: 100 }, (_, i) => ({ type: `${'語'.repeat(60)}${i}`, email: 'each' })) }),
  ),
  '/api/unsubscribe': one(query('token=a')),
  '/api/admin/create_notification': one(administrator({ title: 'One', content: UGLY, target_user_id: ANN })),
  '/api/admin/update_notification': one((i) => administrator({ id: `notification ${i}`, content: UGLY })),
  '/api/admin/archive_notification': one((i) => administrator({ id: `notification ${100 + i}` })),
  '/api/admin/restore_notification': one((i) => administrator({ id: `notification ${100 + i}` })),
  '/api/live': one(nobody()),
  '/api/oauth/begin_authorization': one(ann({ client_id: 'cli-client' })),
  '/api/oauth/get_authorization': one(ann({ request_id: 'a' })),
  '/api/oauth/decide_authorization': one(ann({ request_id: 'a', approve: true })),
  '/api/revoke_grant': one((i) => ann({ id: `grant ${500 + i}` })),
  '/api/admin/list_user_grants': pages('administrator', { user_id: ANN }),
  '/api/admin/revoke_user_grant': one((i) => administrator({ user_id: ANN, id: `grant ${520 + i}` })),
  '/api/oauth/describe_client': one(nobody({ client_id: 'cli-client' })),
  '/api/oauth/respond': one(query('form=a')),
  '/api/oauth/register': one(nobody({ client_name: '語'.repeat(60), redirect_uris: ['http://127.0.0.1/callback'] })),
  '/register': one(nobody({ client_name: '話'.repeat(60), redirect_uris: ['http://127.0.0.1/callback'] })),
  '/api/oauth/device_authorization': one(form({ client_id: 'cli-client', scope: 'account:profile:read' })),
  '/api/oauth/token': one(
    form({
      grant_type: 'authorization_code',
      client_id: 'cli-client',
      code: 'a',
      redirect_uri: 'http://127.0.0.1:1/callback',
      code_verifier: 'a'.repeat(43),
    }),
  ),
  '/api/oauth/revoke': one(form({ client_id: 'cli-client', token: 'a' })),
  '/api/oauth/client_logo': one(query('client_id=cli-client')),
  '/api/oauth/userinfo': one(by('tool')),
  '/api/oauth/introspect': one(form({ token: TOKENS.tool, client_id: 'a', client_secret: 'b' })),
  '/api/oauth/revocations': one(nobody({ client_id: 'a', client_secret: 'b' })),
  '/api/admin/create_application': one(
    administrator({
      name: 'Shop',
      kind: 'web',
      redirect_uris: Array.from({ length: 20 }, (_, i) => `https://example.com/${'a'.repeat(2_000)}${i}`),
    }),
  ),
  '/api/admin/update_application': one((i) => administrator({ id: `application ${i}`, name: '語'.repeat(100) })),
  '/api/admin/list_application_refusals': one((i) => administrator({ id: `application ${i}` })),
  '/api/admin/rotate_application_secret': one((i) => administrator({ id: `application ${i}` })),
  '/api/admin/delete_application': one((i) => administrator({ id: `application ${100 + i}` })),
  '/api/admin/declare_product_scope': one((i) =>
    administrator({ scope: `product:b-${i}:read`, description: '語'.repeat(200) }),
  ),
  '/api/admin/delete_product_scope': one((i) => administrator({ scope: `product:area-${100 + i}:read` })),
  '/api/admin/save_view': one((i) =>
    administrator({
      list: 'users',
      name: `View ${i}`,
      filters: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f ${n}`, 'a'.repeat(254)])),
    }),
  ),
  '/api/admin/delete_view': one((i) => administrator({ id: `view ${90 + i}` })),
  '/api/create_personal_token': one(ann({ name: 'One', scopes: ['account:profile:read'], expires_in_days: 1 })),
  '/api/revoke_personal_token': one((i) => ann({ id: `grant ${i}` })),
  '/api/admin/update_authentication_config': one((i) =>
    administrator({
      expected_version: 1 + i,
      email_signup_domain_allowlist: Array.from({ length: 1_000 }, (_, n) => `${n}-${'a'.repeat(30)}.example.com`),
    }),
  ),
  '/api/admin/update_email_config': one(SAVED),
  '/api/admin/update_credits_config': one(SAVED),
  '/api/admin/update_ai_config': one(SAVED),
  '/api/admin/update_brand_config': one((i) =>
    administrator({ expected_version: 1 + i, logo: { action: 'replace', value: LOGO } }),
  ),
  '/api/admin/update_assistants_config': one(SAVED),
  '/api/admin/send_test_email': one(administrator({ to: 'a@example.com' })),
  '/api/admin/list_user_credits': pages('administrator', { id: ANN }),
  '/api/admin/give_credits': one(administrator({ id: ANN, amount: 1, note: 'One' })),
  '/api/bind_beta_code': one(ann({ beta_code: 'none' })),
  '/api/admin/generate_beta_codes': one(administrator({ count: 100 })),
  '/api/admin/list_beta_codes': lists(),
  '/api/admin/list_users': { ...lists(), 'by name': administrator({ ...PAGE, search: '語' }) },
  '/api/admin/get_user': one(administrator({ id: ANN })),
  '/api/admin/create_user': one((i) => administrator({ email: `made-${i}@example.com` })),
  '/api/admin/invite_user': one((i) => administrator({ email: `invited-${i}@example.com` })),
  '/api/admin/delete_user': one((i) => administrator({ id: other(40 + i) })),
  '/api/admin/send_password_reset': one(administrator({ id: ANN })),
  '/api/admin/mark_verified': one((i) => administrator({ id: other(60 + i) })),
  '/api/admin/move_user': one((i) => administrator({ id: other(80 + i), shard_id: 'weur-1' })),
  '/api/admin/update_shard': one(administrator({ id: 'oc-1', state: 'active' })),
  '/api/admin/list_audit_entries': {
    ...lists(),
    'about a user': administrator({ ...PAGE, user_id: ANN }),
    'by an address': administrator({ ...PAGE, search: 'person-0@' }),
  },
  '/api/admin/list_events': one(administrator({ limit: 1_000 })),
  '/api/admin/create_webhook': one(administrator({ url: 'https://example.com/hook', types: [] })),
  '/api/admin/update_webhook': one((i) => administrator({ id: `webhook ${i}`, enabled: false })),
  '/api/admin/delete_webhook': one((i) => administrator({ id: `webhook ${90 + i}` })),
  '/api/admin/rotate_webhook_secret': one(administrator({ id: 'webhook 1' })),
  '/api/admin/test_webhook': one(administrator({ id: 'webhook 1' })),
  '/api/admin/list_webhook_deliveries': pages('administrator', { webhook_id: 'webhook 0' }),
  '/api/admin/redeliver': one((i) => administrator({ id: `delivery ${i}` })),
  '/api/verify': one(query('', 'tool')),
  '/api/update_grant': one(ann({ id: 'grant 610', daily_limit: 10 })),
  '/api/decide_approval': one(ann({ id: 'a', approve: false })),
  '/api/get_approval': one(nobody({ id: 'a' })),
  '/api/list_grant_acts': pages('ann', { id: 'grant 600' }),
}

const LOGO = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${'<g/>'.repeat(36_000)}</svg>`,
).toString('base64')

export interface Question {
  readonly what: string
  readonly route: Route
  readonly sentAt: (i: number) => Sent
}

export function questions(world: World): readonly Question[] {
  const declared: readonly Route[] = routes
  return declared.flatMap((route) =>
    Object.entries(ASKED[route.path as Paths] ?? usual(route)).map(([way, asked]) => ({
      what: `${route.method === 'GET' ? 'GET ' : ''}${route.path}${way && `, ${way}`}`,
      route,
      sentAt: (i: number) => (typeof asked === 'function' ? asked(i, world) : asked),
    })),
  )
}

/**
 * The request that suits most routes: two pages of a list or an empty body, sent by somebody who may call the route.
 * Throws if the route needs another one.
 */
function usual({ access, method, path, input }: Route): Ways {
  const who = access === 'public' ? 'nobody' : path.startsWith('/api/admin/') ? 'administrator' : 'ann'
  const accepts = (body: object) => input.safeParse(body).success
  if (accepts(PAGE) && !accepts({ ...PAGE, page: 0 })) return pages(who)
  const asked = who === 'nobody' && method === 'POST' && path.startsWith('/api/auth/') ? REFUSED : by(who)
  if (method === 'POST' && asked !== REFUSED && !accepts({})) throw new Error(`say in ASKED how ${path} is asked`)
  return one(asked)
}
