import { useIsFetching, useQuery } from '@tanstack/react-query'
import { pathOfView, viewsQuery } from '../pages/console/queries.ts'
import { isOfAdministration, may } from '../scope-tiers.ts'
import { useSignedIn } from '../server/session.ts'
import { useSignOut } from '../server/sign-out.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'
import { wordOf } from '../texts/word-of.ts'
import type { IconName } from '../ui/icon.tsx'
import { consolePages, isSharedAt } from './console-navigation.ts'
import { useActsOnUser } from './palette-acts.ts'
import { findKey, findQuery, useFoundWords } from './palette-found.ts'
import { recentOf } from './palette-recent.ts'
import { consoleTabs, useOwnTabs } from './settings-tabs.ts'

export interface Goal {
  readonly title: string
  readonly icon: IconName
  /** Other words that people look for. */
  readonly also?: string
  /** Shown beside the title, such as a user's name. */
  readonly detail?: string
  /** A page, with the question that it opens. */
  readonly to?: string | undefined
  act?(): void
  /** Listed among the recent ones once it was chosen. */
  readonly isKept?: boolean
}

export interface GoalGroup {
  readonly name: keyof Texts['palette']['groups']
  readonly goals: readonly Goal[]
}

const leastForSearch = 2
const mostForSearch = 254
/** As many as `admin/find` answers with; more may match. */
const mostPeople = 8
const mostPages = 6

/** Pages come first; what nobody has typed anything for are the recent ones. */
export function useGoals(typed: string): { readonly groups: readonly GoalGroup[]; readonly isSearching: boolean } {
  const texts = useTexts()
  const { user } = useSignedIn()
  const isAdministrator = user.role === 'administrator'
  const search = typed.trim().toLowerCase().slice(0, mostForSearch)
  const pages = usePages().filter(({ title, also = '' }) => `${title} ${also}`.toLowerCase().includes(search))
  const found = useFound(search, may(user, 'admin:users:read'))
  const acts = useActsOnUser(search, isAdministrator)
  const everybody: Goal = {
    to: `/console/users?${new URLSearchParams({ search })}`,
    title: texts.palette.others,
    icon: 'users',
  }
  const recent = search === '' ? recentOf(user.id) : []
  const people = found.people.length < mostPeople ? found.people : [...found.people, everybody]
  const isFetching = useIsFetching({ queryKey: findKey }) > 0
  const groups: readonly GoalGroup[] = [
    { name: 'recent', goals: recent },
    { name: 'pages', goals: search === '' ? pages : pages.slice(0, mostPages) },
    { name: 'people', goals: people },
    { name: 'found', goals: found.others },
    { name: 'acts', goals: acts },
  ]
  return {
    groups: groups.filter(({ goals }) => goals.length > 0),
    isSearching: isFetching || found.isAwaited,
  }
}

function useFound(search: string, canFind: boolean) {
  const wordsOf = useFoundWords()
  const isAsked = canFind && search.length >= leastForSearch
  const { data, isPending } = useQuery({ ...findQuery({ text: search }), enabled: isAsked })
  const items = (isAsked && data?.items) || []
  const [people, others] = [items.filter(isUser), items.filter((item) => !isUser(item))]
  return {
    // True already at the first rendering after a key, before the request is on its way.
    isAwaited: isAsked && isPending,
    people: people.map((item): Goal => ({ ...wordsOf(item), isKept: true })),
    others: others.map((item): Goal => wordsOf(item)),
  }
}

const isUser = ({ kind }: { readonly kind: string }) => kind === 'user'

function usePages(): readonly Goal[] {
  const texts = useTexts()
  const { user } = useSignedIn()
  const isStaff = isOfAdministration(user)
  const views = useQuery({ ...viewsQuery, enabled: isStaff })
  const signOut = useSignOut('/sign-in')
  return [
    ...useOwnPages(texts),
    { title: texts.nav.signOut, icon: 'sign-out', act: signOut.mutate },
    ...(isStaff ? pagesOfConsole(texts).filter(({ to = '' }) => isSharedAt(user, to.replace(/\?.*/, ''))) : []),
    ...(views.data?.items ?? []).map(
      (view): Goal => ({
        ...{ to: pathOfView(view), icon: 'funnel', isKept: true },
        title: `${wordOf(texts.console, view.list)}: ${view.name}`,
      }),
    ),
  ]
}

const alsoOf = ({ palette }: Texts, to: string) => palette.also[to] ?? ''

function useOwnPages(texts: Texts): readonly Goal[] {
  const { nav } = texts
  const pages: readonly Goal[] = [
    { to: '/', title: nav.home, icon: 'home' },
    { to: '/notifications', title: nav.notifications, icon: 'bell' },
    { to: '/feedback', title: nav.feedback, icon: 'message' },
    ...useOwnTabs().map(
      ({ to, title }): Goal => ({
        ...{ to, title: `${nav.settings}: ${title}`, icon: 'settings', also: alsoOf(texts, to) },
      }),
    ),
  ]
  return pages.map((page) => ({ ...page, isKept: true }))
}

function pagesOfConsole(texts: Texts): readonly Goal[] {
  const { applications, codes, invite, nav, publishing, webhooks } = texts
  const [, ...tabs] = consoleTabs(texts)
  const pages = [
    ...consolePages.map(({ to, title, icon }) => ({ to, title: title(texts), icon })),
    ...tabs.map((tab) => ({ ...tab, icon: 'settings' as const })),
  ]
  return [
    ...pages.map(({ to, title, icon }) => ({
      ...{ to, icon, title: `${nav.console}: ${title}`, also: alsoOf(texts, to), isKept: true },
    })),
    { to: '/console/notifications?open=new', title: publishing.write, icon: 'plus' },
    { to: '/console/users?open=new', title: invite.open, icon: 'plus' },
    { to: '/console/beta-codes', title: codes.make, icon: 'plus' },
    { to: '/console/webhooks', title: webhooks.add, icon: 'plus' },
    { to: '/console/applications/new', title: applications.register, icon: 'plus' },
  ]
}
