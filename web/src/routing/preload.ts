import type { QueryClient, QueryKey } from '@tanstack/react-query'
import {
  applicationsQuery,
  auditQuery,
  codesQuery,
  connectionsQuery,
  feedbackQuery,
  figuresQuery,
  filterNames,
  latestFeedbackQuery,
  overviewQuery,
  partQuery,
  productPagesQuery,
  productScopesQuery,
  publishedQuery,
  shardsQuery,
  usersQuery,
  webhooksQuery,
} from '../pages/console/queries.ts'
import {
  accountsQuery,
  approvalsQuery,
  grantsQuery,
  personalTokensQuery,
  preferencesQuery,
  securityQuery,
  sessionsQuery,
} from '../pages/settings/queries.ts'
import {
  creditsQuery,
  latestQuery,
  notificationsQuery,
  shownNotifications,
  unreadQuery,
} from '../server/notifications.ts'
import { ownFeedbackQuery } from '../server/own-feedback.ts'
import { filtersOf } from './filters.ts'
import { sources } from './page-sources.ts'

type Source = keyof typeof sources
type Query = { readonly queryKey: QueryKey; queryFn(): Promise<unknown> }
type Queries = readonly Query[]
type Needs = readonly [
  scripts: readonly Source[],
  queries?: (search: URLSearchParams) => Queries | Promise<Queries>,
]

const settings = (tab: Source, ...queries: readonly Query[]): Needs => [['settings', tab], () => queries]
const configuration = (part: Parameters<typeof partQuery>[0]): Needs => [
  ['consoleSettings'],
  () => [partQuery(part)],
]

/** The scripts and the data that a page needs, so that they can be fetched in parallel. */
const needs: Readonly<Record<string, Needs>> = {
  '/sign-in': [['signIn']],
  '/sign-in/second-step': [['secondStep']],
  '/invitation': [['invitation']],
  '/sign-up': [['signUp']],
  '/verify': [['verify']],
  '/forgot': [['forgot']],
  '/reset': [['reset']],
  '/beta': [['beta']],
  '/return': [['return']],
  '/unsubscribe': [['unsubscribe']],
  '/oauth/authorize': [['authorize']],
  '/oauth/consent': [['consent']],
  '/oauth/end-session': [['endSession']],
  '/': [['home'], () => [latestQuery, unreadQuery, creditsQuery, grantsQuery]],
  '/notifications': [
    ['notifications'],
    (search) => [notificationsQuery(shownNotifications(search)), unreadQuery],
  ],
  '/feedback': [['feedback'], (search) => [ownFeedbackQuery(filtersOf(search, []).page)]],
  '/settings': settings('profile'),
  '/settings/security': settings('security', securityQuery),
  '/settings/password': settings('password', accountsQuery),
  '/settings/accounts': settings('accounts', accountsQuery),
  '/settings/sessions': settings('sessions', sessionsQuery),
  '/settings/access': settings('access', grantsQuery, approvalsQuery),
  '/settings/tokens': settings('tokens', personalTokensQuery),
  '/settings/notifications': settings('preferences', preferencesQuery),
  '/settings/data': settings('data', accountsQuery),
  '/console': [
    ['consoleOverview'],
    () => [
      ...[overviewQuery, figuresQuery(30), webhooksQuery],
      ...[accountsQuery, partQuery('brand'), connectionsQuery, securityQuery],
    ],
  ],
  '/console/settings': configuration('authentication'),
  '/console/settings/providers': configuration('authentication'),
  '/console/settings/email': configuration('email'),
  '/console/settings/credits': configuration('credits'),
  '/console/settings/ai': configuration('ai'),
  '/console/settings/assistants': configuration('assistants'),
  '/console/settings/brand': configuration('brand'),
  '/console/feedback': [
    ['consoleFeedback'],
    (search) => [feedbackQuery(filtersOf(search, filterNames.feedback))],
  ],
  '/console/notifications': [
    ['consoleNotifications'],
    (search) => [publishedQuery(filtersOf(search, filterNames.notifications))],
  ],
  '/console/users': [['consoleUsers'], (search) => [usersQuery(filtersOf(search, filterNames.users))]],
  '/console/beta-codes': [
    ['consoleBetaCodes'],
    (search) => [codesQuery(filtersOf(search, filterNames.codes))],
  ],
  '/console/connect': [['consoleConnect'], () => [productPagesQuery, latestFeedbackQuery]],
  '/console/shards': [['consoleShards'], () => [shardsQuery, overviewQuery]],
  '/console/webhooks': [['consoleWebhooks'], () => [webhooksQuery]],
  '/console/applications': [
    ['consoleApplications'],
    (search) => [applicationsQuery(filtersOf(search, filterNames.applications)), productScopesQuery],
  ],
  '/console/audit': [['consoleAudit'], (search) => [auditQuery(filtersOf(search, filterNames.audit))]],
}

function needsOfPerson(pathname: string): Needs | undefined {
  if (!pathname.startsWith('/console/users/')) return undefined
  return [
    ['consolePerson'],
    async () => (await import('../pages/console/person/queries.ts')).queriesOfPerson(pathname),
  ]
}

/**
 * Begins to fetch what a page needs, and resolves when its scripts have come or failed. Whatever fails is fetched
 * again, and shown, by the page itself.
 */
export async function preload(queryClient: QueryClient, { pathname, searchParams }: URL): Promise<void> {
  const [scripts, queries] = needs[pathname] ?? needsOfPerson(pathname) ?? []
  const loading = framesOf(pathname)
    .concat(scripts ?? [])
    .map((script) => sources[script].prefetch())
  const begin = async () => {
    for (const query of (await queries?.(searchParams)) ?? []) void queryClient.prefetchQuery(query)
  }
  void begin().catch(leaveToThePage)
  await Promise.all(loading)
}

const leaveToThePage = () => undefined

/** The signed-out pages and the consent pages have no frame of the site around them. */
const alone = /^\/(sign-in(\/second-step)?|invitation|sign-up|verify|forgot|reset|beta|oauth\/.*)$/

function framesOf(pathname: string): Source[] {
  if (alone.test(pathname)) return []
  return pathname.startsWith('/console') ? ['signedInPages', 'administratorPages'] : ['signedInPages']
}

/** Links are preloaded as soon as the pointer is over them. */
export function preloadLinks(queryClient: QueryClient): void {
  let last = location.href
  const look = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest('a') : null
    if (!link || link.origin !== location.origin || link.href === last) return
    last = link.href
    void preload(queryClient, new URL(link.href))
  }
  document.addEventListener('pointerover', look, { passive: true })
  document.addEventListener('focusin', look)
}
