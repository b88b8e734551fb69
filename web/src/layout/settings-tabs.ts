import type { Texts } from '../texts/en.ts'

/** The parts of a user's own settings. */
export const ownTabs = ({ nav, settings }: Texts) => [
  { to: '/settings', title: settings.profile },
  { to: '/settings/security', title: settings.security },
  { to: '/settings/access', title: settings.apps },
  { to: '/settings/organizations', title: settings.organizations },
  { to: '/settings/notifications', title: nav.notifications },
  { to: '/settings/data', title: settings.data },
]

/** The parts of the service's settings. */
export const consoleTabs = ({ config }: Texts) => [
  { to: '/console/settings', title: config.authentication },
  { to: '/console/settings/providers', title: config.providers },
  { to: '/console/settings/email', title: config.email },
  { to: '/console/settings/credits', title: config.credits },
  { to: '/console/settings/ai', title: config.ai },
  { to: '/console/settings/assistants', title: config.assistants },
  { to: '/console/settings/brand', title: config.brand },
  { to: '/console/settings/hooks', title: config.hooks },
  { to: '/console/settings/organizations', title: config.organizations },
]
