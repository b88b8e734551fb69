/**
 * What each business scope can do, in the consent page's words, and the routes that do it. `test/scopes.test.ts` holds
 * this against the routes, so no route gets a scope whose words leave it out.
 */
const ABILITIES = {
  'account:profile:read': {
    'see your name, email address and account details': ['/api/auth/get-session'],
    'see what the product keeps about you': ['/api/get_data'],
    'see when the administrator used your account': ['/api/list_impersonations'],
  },
  'account:profile:write': {
    'change your name and picture': ['/api/auth/update-user'],
    'change what you tell the product about yourself': ['/api/update_data'],
  },
  'account:credits:read': {
    'see your credit balance and its history': ['/api/get_credit_summary', '/api/list_credit_entries'],
  },
  'account:organizations:read': {
    'see your organisations, their members, roles and teams': [
      '/api/auth/organization/list',
      '/api/auth/organization/get-organization',
      '/api/auth/organization/get-full-organization',
      '/api/auth/organization/list-members',
      '/api/auth/organization/get-active-member',
      '/api/auth/organization/get-active-member-role',
      '/api/auth/organization/list-roles',
      '/api/auth/organization/get-role',
      '/api/auth/organization/list-teams',
      '/api/auth/organization/list-user-teams',
      '/api/auth/organization/list-team-members',
    ],
    'see what the product keeps about your organisations': ['/api/get_organization_data'],
    'see invitations to you, and those of your organisations': [
      '/api/auth/organization/get-invitation',
      '/api/auth/organization/list-user-invitations',
      '/api/auth/organization/list-invitations',
    ],
    'see what you may do there, and which names are free': [
      '/api/auth/organization/has-permission',
      '/api/auth/organization/check-slug',
    ],
  },
  'account:organizations:write': {
    'create organisations, change them and leave them': [
      '/api/auth/organization/create',
      '/api/auth/organization/update',
      '/api/auth/organization/leave',
    ],
    'change what your organisations tell the product': ['/api/update_organization_data'],
    'remove members and change their roles, but for owners': [
      '/api/auth/organization/remove-member',
      '/api/auth/organization/update-member-role',
    ],
    'invite others by email, but not as owners, and cancel invitations': [
      '/api/auth/organization/invite-member',
      '/api/auth/organization/cancel-invitation',
    ],
    'accept and reject invitations for you': [
      '/api/auth/organization/accept-invitation',
      '/api/auth/organization/reject-invitation',
    ],
    'make, change and delete roles': [
      '/api/auth/organization/create-role',
      '/api/auth/organization/update-role',
      '/api/auth/organization/delete-role',
    ],
    'make, change and delete teams, and choose who is in them': [
      '/api/auth/organization/create-team',
      '/api/auth/organization/update-team',
      '/api/auth/organization/remove-team',
      '/api/auth/organization/add-team-member',
      '/api/auth/organization/remove-team-member',
    ],
  },
  'account:beta:write': { 'redeem an invitation code for you': ['/api/bind_beta_code'] },
  'operations:feedback:write': { 'send feedback in your name': ['/api/submit_feedback'] },
  'operations:feedback:read': { 'read your own feedback and its answers': ['/api/list_own_feedbacks'] },
  'operations:notifications:read': {
    'read your notifications, and follow them as they arrive': [
      '/api/list_notifications',
      '/api/count_unread_notifications',
      '/api/live',
    ],
    'see which of them are sent to you by email': ['/api/get_notification_preferences'],
  },
  'operations:notifications:write': {
    'mark your notifications as read': ['/api/read_notification', '/api/read_all_notifications'],
    'choose which of them are sent to you by email': ['/api/update_notification_preferences'],
  },
  'admin:feedback:read': {
    'read everyone’s feedback': ['/api/admin/list_feedbacks'],
    'see the saved replies': ['/api/admin/list_replies'],
  },
  'admin:feedback:write': {
    'change the status and notes of everyone’s feedback': ['/api/admin/update_feedback'],
    'answer feedback': ['/api/admin/reply_to_feedback'],
    'save and delete replies': ['/api/admin/save_reply', '/api/admin/delete_reply'],
  },
  'admin:notifications:read': {
    'see every published notification': ['/api/admin/list_notifications'],
  },
  'admin:notifications:write': {
    'publish notifications to everyone or to one user, and email them': ['/api/admin/create_notification'],
    'change, archive and restore notifications': [
      '/api/admin/update_notification',
      '/api/admin/archive_notification',
      '/api/admin/restore_notification',
    ],
  },
  'admin:users:read': {
    'see all users and their details': [
      ...['/api/admin/list_users', '/api/admin/get_user', '/api/admin/count_audience', '/api/admin/read_users'],
    ],
    'see users’ connected tools and credits': ['/api/admin/list_user_grants', '/api/admin/list_user_credits'],
    'see what a token, an id or a code belongs to': ['/api/admin/find'],
    'see the figures of the service and its state': ['/api/admin/get_figures', '/api/admin/get_overview'],
  },
  'admin:users:write': {
    'create users without a password': ['/api/admin/create_user'],
    'invite users by mail': ['/api/admin/invite_user'],
    'send users a password reset': ['/api/admin/send_password_reset'],
    'sign users out everywhere': ['/api/admin/revoke_user_sessions'],
    'end users’ connections and access tokens': ['/api/admin/revoke_user_grant'],
    'suspend users and restore them': ['/api/admin/suspend_user', '/api/admin/restore_user'],
    'move users’ data to another shard': ['/api/admin/move_user'],
    'delete users with all their data': ['/api/admin/delete_user'],
  },
  'admin:data:read': {
    'see all that the product keeps about users and organisations': [
      '/api/admin/get_user_data',
      '/api/admin/get_organization_data',
    ],
  },
  'admin:data:write': {
    'change what the product keeps about users and organisations': [
      '/api/admin/update_user_data',
      '/api/admin/update_organization_data',
    ],
  },
  'admin:organizations:read': {
    'see all organisations': [
      ...['/api/admin/list_organizations', '/api/admin/get_organization', '/api/admin/read_organizations'],
    ],
    'see their members': ['/api/admin/list_organization_members', '/api/admin/read_members'],
  },
  'admin:organizations:write': {
    'create organisations and change them': ['/api/admin/create_organization', '/api/admin/update_organization'],
    'suspend organisations and restore them': ['/api/admin/suspend_organization', '/api/admin/restore_organization'],
    'add, change and remove members': ['/api/admin/add_member', '/api/admin/update_member', '/api/admin/remove_member'],
    'invite members by email': ['/api/admin/invite_member'],
    'delete organisations, in your own session': ['/api/admin/delete_organization'],
  },
  'admin:credits:write': { 'give credits to users': ['/api/admin/give_credits'] },
  'admin:beta:read': { 'see invitation codes and who used them': ['/api/admin/list_beta_codes'] },
  'admin:beta:write': { 'generate invitation codes': ['/api/admin/generate_beta_codes'] },
  'admin:shards:read': { 'see the shards and how full they are': ['/api/admin/list_shards'] },
  'admin:shards:write': { 'change which shards accept new users': ['/api/admin/update_shard'] },
  'admin:audit:read': { 'read the audit log': ['/api/admin/list_audit_entries'] },
  'admin:events:read': {
    'follow events: sign-ups, sign-ins, feedback and changes': ['/api/admin/list_events'],
    'see where events are sent, and the responses': ['/api/admin/list_webhooks', '/api/admin/list_webhook_deliveries'],
  },
  'admin:events:write': {
    'send events about all users to any address': [
      '/api/admin/create_webhook',
      '/api/admin/update_webhook',
      '/api/admin/delete_webhook',
    ],
    'replace the secrets that events are signed with': ['/api/admin/rotate_webhook_secret'],
    'send tests, and events again': ['/api/admin/test_webhook', '/api/admin/redeliver'],
  },
  'admin:applications:read': {
    'see the registered applications, who signed in to them, and their refused requests': [
      '/api/admin/list_applications',
      '/api/admin/get_application',
      '/api/admin/list_application_refusals',
    ],
    'see which back ends follow what ends, and what they have read': [
      '/api/admin/list_verifiers',
      '/api/admin/get_receipt',
    ],
    'see the product’s permissions': ['/api/admin/list_product_scopes'],
  },
  'admin:applications:write': {
    'register and change applications that ask users for consent, with no more permissions than its own': [
      '/api/admin/create_application',
      '/api/admin/update_application',
    ],
    'replace the secrets of applications': ['/api/admin/rotate_application_secret'],
    'delete applications and all access through them': ['/api/admin/delete_application'],
    'declare more permissions of the product': ['/api/admin/declare_product_scope'],
  },
  'config:authentication:read': {
    'see the sign-in and registration settings': ['/api/admin/get_authentication_config'],
  },
  'config:authentication:write': {
    'change who can register, and the protection against bots': ['/api/admin/update_authentication_config'],
  },
  'config:email:read': {
    'see the email settings': ['/api/admin/get_email_config'],
    'look up the DNS records of the mail domain': ['/api/admin/check_mail_domain'],
  },
  'config:email:write': {
    'send a test mail': ['/api/admin/send_test_email'],
  },
  'config:credits:read': { 'see the credit settings': ['/api/admin/get_credits_config'] },
  'config:credits:write': { 'change the credit settings': ['/api/admin/update_credits_config'] },
  'config:ai:read': { 'see the AI settings': ['/api/admin/get_ai_config'] },
  'config:ai:write': { 'change the AI settings': ['/api/admin/update_ai_config'] },
  'config:brand:read': {
    'see the name, logo and addresses of the service': ['/api/admin/get_brand_config', '/api/admin/list_product_pages'],
    'see its letters and colours': [
      '/api/admin/list_letters',
      '/api/admin/preview_letter',
      '/api/admin/preview_palette',
    ],
  },
  'config:brand:write': {
    'change the name, logo and addresses of the service': ['/api/admin/update_brand_config'],
  },
  'config:assistants:read': {
    'see how unregistered assistants can request access': ['/api/admin/get_assistants_config'],
  },
  'config:assistants:write': {
    'change how unregistered assistants can request access': ['/api/admin/update_assistants_config'],
  },
  'config:organizations:read': {
    'see who can create organisations, and their roles': ['/api/admin/get_organizations_config'],
  },
  'config:organizations:write': {
    'change who can create organisations, and what their roles allow': ['/api/admin/update_organizations_config'],
  },
  'config:hooks:read': {
    'see what the product is asked before sign-ups and sign-ins, and its claims': [
      '/api/admin/get_hooks_config',
      '/api/admin/list_hook_answers',
      '/api/admin/preview_token',
    ],
  },
  'config:hooks:write': {
    'replace the secrets that the product’s hooks are signed with': ['/api/admin/rotate_hook_secret'],
    'ask the product’s hooks about a sample': ['/api/admin/try_hook'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

export type Scope = keyof typeof ABILITIES

/** Something that a scope can do. The English words are its name, so a translation of other words does not compile. */
export type Ability = { [S in Scope]: keyof (typeof ABILITIES)[S] }[Scope]

const SCOPE_NAMES = Object.keys(ABILITIES).filter((name): name is Scope => name in ABILITIES)

/** Has no scope of its own: a signed token can do what the grant can. */
const SIGNED_TOKEN = 'auth/token'

/** `Object.values` forgets which paths there are. */
export const ROUTE_ACTIONS = [
  SIGNED_TOKEN,
  ...SCOPE_NAMES.flatMap((scope) => routesOf(scope).map((path) => path.slice('/api/'.length))),
] as readonly RouteAction[]

/** The routes of a scope, as its words have them. */
export function routesOf(scope: Scope): readonly string[] {
  return Object.values<readonly string[]>(ABILITIES[scope]).flat()
}

/** Undefined if the route needs no scope, or has gone. */
export function scopeOfRoute(path: string): Scope | undefined {
  return SCOPE_NAMES.find((scope) => routesOf(scope).includes(path))
}

type PathsIn<Abilities> = Abilities extends Readonly<Record<string, readonly (infer Path)[]>> ? Path : never
type ActionOf<Path> = Path extends `/api/${infer Action}` ? Action : never

/** A scope that a program can request: the path of a route below `/api/`. The pages have words for each. */
export type RouteAction = ActionOf<PathsIn<(typeof ABILITIES)[Scope]>> | typeof SIGNED_TOKEN

export function routeActionOf(path: string): RouteAction | undefined {
  const action = path.slice('/api/'.length)
  return ROUTE_ACTIONS.find((known) => known === action)
}

/** A sentence for each scope, with all that it can do. `Object.fromEntries` forgets which keys it was given. */
export function scopesInWords(
  wordsOf: (ability: Ability) => string,
  separator: string,
): Readonly<Record<Scope, string>> {
  const sentences = SCOPE_NAMES.map((scope) => [scope, abilitiesOf(scope).map(wordsOf).join(separator)] as const)
  return Object.fromEntries(sentences.map(([scope, words]) => [scope, capitalized(words)])) as Record<Scope, string>
}

/** `Object.keys` forgets which keys an object has. */
function abilitiesOf(scope: Scope): readonly Ability[] {
  return Object.keys(ABILITIES[scope]) as Ability[]
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The business scopes of this service, in the consent page's words. */
export const SCOPES = scopesInWords((act) => act, '; ')

/** OpenID Connect's own; only applications can ask for them. */
export const IDENTITY_SCOPES: Readonly<
  Record<'openid' | 'profile' | 'email' | 'organizations' | 'offline_access', string>
> = {
  openid: 'Know who you are when you sign in there',
  profile: 'See your name and picture',
  email: 'See your email address',
  organizations: 'See your organisations and your roles in them',
  offline_access: 'Keep this access while you are away',
}

export type IdentityScope = keyof typeof IDENTITY_SCOPES

/** A scope of the product behind this service, as declared by the administrator. */
export type ProductScope = `product:${string}:${'read' | 'write'}`

/** Every scope that a grant can have. */
export type GrantedScope = Scope | IdentityScope | ProductScope

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

export function isIdentityScope(text: string): text is IdentityScope {
  return Object.hasOwn(IDENTITY_SCOPES, text)
}

/** Checks the form only; `features/access/product-scopes` checks whether it is declared. */
export function isProductScope(text: string): text is ProductScope {
  return /^product:[a-z][a-z0-9-]{0,31}:(?:read|write)$/.test(text)
}

export function isGrantedScope(text: string): text is GrantedScope {
  return isScope(text) || isIdentityScope(text) || isProductScope(text)
}

/** These also need the caller's current stored role. */
export function isAdministratorScope(scope: GrantedScope): boolean {
  return scope.startsWith('admin:') || scope.startsWith('config:')
}
