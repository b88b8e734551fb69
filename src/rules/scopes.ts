/** The business scopes of this service, in the consent page's words. */
export const SCOPES = {
  'account:profile:read': 'See your name, email address and account details',
  'account:profile:write': 'Change your name and picture',
  'account:credits:read': 'See your credit balance and its history',
  'account:beta:write': 'Redeem a beta code for you',
  'operations:feedback:write': 'Send feedback in your name',
  'operations:notifications:read': 'Read your notifications',
  'operations:notifications:write': 'Mark your notifications as read',
  'admin:feedback:read': "Read everyone's feedback",
  'admin:feedback:write': "Change the status and notes of everyone's feedback",
  'admin:notifications:read': 'See every notification that was published',
  'admin:notifications:write': 'Publish, change and archive notifications',
  'admin:users:read': 'See all users and their details',
  'admin:users:write': 'End the sessions of users and delete users',
  'admin:beta:read': 'See beta codes and who used them',
  'admin:beta:write': 'Make new beta codes',
  'admin:shards:read': 'See the shards and how full they are',
  'admin:shards:write': 'Change which shards take new users',
  'admin:audit:read': 'Read the audit log',
  'admin:events:read': 'Follow what happens: sign-ups, sign-ins, feedback and changes',
  'admin:events:write': 'Change where events are sent, and send them again',
  'admin:applications:read': 'See the registered applications and product scopes',
  'admin:applications:write': 'Register, change and delete applications and product scopes',
  'config:authentication:read': 'See the sign-in and registration settings',
  'config:authentication:write': 'Change the sign-in and registration settings',
  'config:email:read': 'See the email settings',
  'config:email:write': 'Change the email settings and send a test mail',
  'config:credits:read': 'See the credit settings',
  'config:credits:write': 'Change the credit settings',
  'config:ai:read': 'See the AI settings',
  'config:ai:write': 'Change the AI settings',
  'config:brand:read': 'See the name, logo and addresses of the service',
  'config:brand:write': 'Change the name, logo and addresses of the service',
} as const

export type Scope = keyof typeof SCOPES

/** OpenID Connect's own; only applications can ask for them. */
export const IDENTITY_SCOPES = {
  openid: 'Know who you are when you sign in there',
  profile: 'See your name and picture',
  email: 'See your email address',
  offline_access: 'Keep this access while you are away',
} as const

export type IdentityScope = keyof typeof IDENTITY_SCOPES

/** Of the product behind this service, as the administrator has declared it. */
export type ProductScope = `product:${string}:${'read' | 'write'}`

/** Every scope that a grant can have. */
export type GrantedScope = Scope | IdentityScope | ProductScope

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

export function isIdentityScope(text: string): text is IdentityScope {
  return Object.hasOwn(IDENTITY_SCOPES, text)
}

/** By its form only; `features/product-scopes` checks whether it is declared. */
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
