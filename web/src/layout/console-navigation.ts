import type { Texts } from '../texts/en.ts'
import type { IconName } from '../ui/icon.tsx'

interface ConsolePage {
  readonly to: string
  readonly icon: IconName
  title(texts: Texts): string
}

export const overviewPage: ConsolePage = {
  to: '/console',
  icon: 'gauge',
  title: ({ console }) => console.overview,
}

interface Group {
  readonly key: keyof Texts['nav']['groups']
  readonly pages: readonly ConsolePage[]
}

/** The console in the operator's words. */
export const consoleGroups: readonly Group[] = [
  {
    key: 'people',
    pages: [
      { to: '/console/users', icon: 'users', title: ({ console }) => console.users },
      { to: '/console/beta-codes', icon: 'ticket', title: ({ console }) => console.codes },
    ],
  },
  {
    key: 'conversation',
    pages: [
      { to: '/console/feedback', icon: 'inbox', title: ({ console }) => console.feedback },
      { to: '/console/notifications', icon: 'mail', title: ({ console }) => console.notifications },
    ],
  },
  {
    key: 'products',
    pages: [
      { to: '/console/applications', icon: 'key', title: ({ console }) => console.applications },
      { to: '/console/webhooks', icon: 'link', title: ({ console }) => console.webhooks },
      { to: '/console/connect', icon: 'terminal', title: ({ console }) => console.connect },
    ],
  },
  {
    key: 'service',
    pages: [
      { to: '/console/settings', icon: 'settings', title: ({ console }) => console.settings },
      { to: '/console/shards', icon: 'layers', title: ({ console }) => console.shards },
      { to: '/console/audit', icon: 'scroll', title: ({ console }) => console.audit },
    ],
  },
]

export const consolePages: readonly ConsolePage[] = [overviewPage, ...consoleGroups.flatMap(({ pages }) => pages)]
