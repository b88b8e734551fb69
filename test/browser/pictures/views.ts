export interface View {
  readonly name: string
  readonly path: string
}

export const before: readonly View[] = [
  { name: 'sign-in', path: '/sign-in' },
  { name: 'sign-up', path: '/sign-up' },
  { name: 'verify', path: '/verify?email=ann%40example.com' },
  { name: 'forgot', path: '/forgot' },
  { name: 'reset', path: '/reset?email=ann%40example.com' },
]

export const inside: readonly View[] = [
  { name: 'home', path: '/' },
  { name: 'notifications', path: '/notifications' },
  { name: 'feedback', path: '/feedback' },
  { name: 'settings-profile', path: '/settings' },
  { name: 'settings-security', path: '/settings/security' },
  { name: 'settings-tokens', path: '/settings/tokens' },
  { name: 'settings-password', path: '/settings/password' },
  { name: 'settings-accounts', path: '/settings/accounts' },
  { name: 'settings-sessions', path: '/settings/sessions' },
  { name: 'settings-access', path: '/settings/access' },
  { name: 'settings-data', path: '/settings/data' },
  { name: 'beta', path: '/beta' },
  { name: 'authorize', path: '/oauth/authorize' },
  { name: 'nowhere', path: '/settings/nowhere' },
]

export const ofConsole: readonly View[] = [
  { name: 'console-overview', path: '/console' },
  { name: 'console-settings', path: '/console/settings' },
  { name: 'console-settings-providers', path: '/console/settings/providers' },
  { name: 'console-settings-credits', path: '/console/settings/credits' },
  { name: 'console-settings-ai', path: '/console/settings/ai' },
  { name: 'console-settings-email', path: '/console/settings/email' },
  { name: 'console-feedback', path: '/console/feedback' },
  { name: 'console-notifications', path: '/console/notifications' },
  { name: 'console-users', path: '/console/users' },
  { name: 'console-invite', path: '/console/users?open=new' },
  { name: 'console-applications', path: '/console/applications' },
  { name: 'console-webhooks', path: '/console/webhooks' },
  { name: 'console-connect', path: '/console/connect' },
  { name: 'console-settings-brand', path: '/console/settings/brand' },
  { name: 'console-beta-codes', path: '/console/beta-codes' },
  { name: 'console-shards', path: '/console/shards' },
  { name: 'console-audit', path: '/console/audit' },
]
