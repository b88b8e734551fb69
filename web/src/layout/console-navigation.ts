import { may } from '../scope-tiers.ts'
import type { SignedIn } from '../server/auth.ts'
import type { Texts } from '../texts/en.ts'
import type { IconName } from '../ui/icon.tsx'

interface ConsolePage {
  readonly to: string
  readonly icon: IconName
  /** The scopes it reads with; undefined if it is the administrator's. */
  readonly reads: readonly string[] | undefined
  title(texts: Texts): string
}

export const overviewPage: ConsolePage = {
  to: '/console',
  icon: 'gauge',
  reads: ['admin:users:read', 'admin:events:read', 'config:brand:read'],
  title: ({ console }) => console.overview,
}

interface Group {
  readonly key: keyof Texts['nav']['groups']
  readonly pages: readonly ConsolePage[]
}

/** The console in the operator's words. */
const consoleGroups: readonly Group[] = [
  {
    key: 'people',
    pages: [
      { to: '/console/users', icon: 'users', reads: ['admin:users:read'], title: ({ console }) => console.users },
      {
        to: '/console/organizations',
        icon: 'home',
        reads: ['admin:organizations:read'],
        title: ({ console }) => console.organizations,
      },
      { to: '/console/beta-codes', icon: 'ticket', reads: ['admin:beta:read'], title: ({ console }) => console.codes },
      { to: '/console/staff', icon: 'shield', reads: undefined, title: ({ console }) => console.staff },
    ],
  },
  {
    key: 'conversation',
    pages: [
      {
        to: '/console/feedback',
        icon: 'inbox',
        reads: ['admin:feedback:read'],
        title: ({ console }) => console.feedback,
      },
      {
        to: '/console/notifications',
        icon: 'mail',
        reads: ['admin:notifications:read'],
        title: ({ console }) => console.notifications,
      },
    ],
  },
  {
    key: 'products',
    pages: [
      {
        to: '/console/applications',
        icon: 'apps',
        reads: ['admin:applications:read'],
        title: ({ console }) => console.applications,
      },
      { to: '/console/webhooks', icon: 'link', reads: ['admin:events:read'], title: ({ console }) => console.webhooks },
      {
        to: '/console/connect',
        icon: 'terminal',
        reads: ['config:brand:read', 'config:assistants:read', 'admin:feedback:read'],
        title: ({ console }) => console.connect,
      },
    ],
  },
  {
    key: 'service',
    pages: [
      {
        to: '/console/settings',
        icon: 'settings',
        reads: ['config:authentication:read'],
        title: ({ console }) => console.settings,
      },
      {
        to: '/console/shards',
        icon: 'layers',
        reads: ['admin:shards:read', 'admin:users:read'],
        title: ({ console }) => console.shards,
      },
      { to: '/console/audit', icon: 'scroll', reads: ['admin:audit:read'], title: ({ console }) => console.audit },
    ],
  },
]

export const consolePages: readonly ConsolePage[] = [overviewPage, ...consoleGroups.flatMap(({ pages }) => pages)]

type User = SignedIn['user']

/** The scopes that the user lacks for the page at the address; undefined if it is the administrator's alone. */
export function lackingAt(user: User, pathname: string): readonly string[] | undefined {
  const part = /^\/console\/settings\/(\w+)/.exec(pathname)?.[1]
  const page = consolePages.findLast(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
  if (part && part !== 'providers') return [`config:${part}:read`].filter((scope) => !may(user, scope))
  if (page && !page.reads) return user.role === 'administrator' ? [] : undefined
  return page?.reads?.filter((scope) => !may(user, scope)) ?? []
}

export const isSharedAt = (user: User, pathname: string) => lackingAt(user, pathname)?.length === 0

/** The groups with the pages that the user can read, without those that have none. */
export const sharedGroups = (user: User) =>
  consoleGroups
    .map(({ key, pages }) => ({ key, pages: pages.filter((page) => isSharedAt(user, page.to)) }))
    .filter(({ pages }) => pages.length > 0)
