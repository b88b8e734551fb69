/** The whole vocabulary of business scopes, in words a person understands on the consent page. */
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

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

/** These also need the caller's current stored role. */
export function isAdministratorScope(scope: Scope): boolean {
  return scope.startsWith('admin:') || scope.startsWith('config:')
}
