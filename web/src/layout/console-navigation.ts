import type { Texts } from '../texts/en.ts'
import type { IconName } from '../ui/icon.tsx'

interface ConsolePage {
  readonly to: string
  readonly icon: IconName
  title(texts: Texts): string
}

/** The administrator's part of the navigation, in its order. */
export const consolePages: readonly ConsolePage[] = [
  { to: '/console', icon: 'gauge', title: ({ console }) => console.overview },
  { to: '/console/settings', icon: 'settings', title: ({ console }) => console.settings },
  { to: '/console/feedback', icon: 'inbox', title: ({ console }) => console.feedback },
  { to: '/console/notifications', icon: 'mail', title: ({ console }) => console.notifications },
  { to: '/console/users', icon: 'users', title: ({ console }) => console.users },
  { to: '/console/beta-codes', icon: 'ticket', title: ({ console }) => console.codes },
  { to: '/console/connect', icon: 'terminal', title: ({ console }) => console.connect },
  { to: '/console/applications', icon: 'key', title: ({ console }) => console.applications },
  { to: '/console/shards', icon: 'layers', title: ({ console }) => console.shards },
  { to: '/console/webhooks', icon: 'link', title: ({ console }) => console.webhooks },
  { to: '/console/audit', icon: 'scroll', title: ({ console }) => console.audit },
]
