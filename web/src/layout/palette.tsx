import { useIsFetching, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import { ownNameOf } from '../own-name.ts'
import { pathOfView, viewsQuery } from '../pages/console/queries.ts'
import { useNavigate } from '../routing/router.tsx'
import { useSignedIn } from '../server/session.ts'
import { useSignOut } from '../server/sign-out.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'
import { wordOf } from '../texts/word-of.ts'
import { controlClass } from '../ui/controls/text-field.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { consolePages } from './console-navigation.ts'
import { findUsersQuery, paletteUsersKey, useActsOnUsers } from './palette-acts.ts'
import { consoleTabs, ownTabs } from './settings-tabs.ts'

interface Goal {
  readonly title: string
  /** Other words that people look for. */
  readonly also?: string
  /** Shown beside the title, such as a user's name. */
  readonly detail?: string
  /** A page, with the question that it opens. */
  readonly to?: string
  act?(): void
}

interface Props {
  readonly typed: string
  onType(typed: string): void
  onClose(): void
}

/** Finds anything by its name: pages, settings, users by a part of the address, and actions. */
export function Palette({ typed, onType, onClose }: Props) {
  const texts = useTexts()
  const navigate = useNavigate()
  const [at, setAt] = useState(0)
  const list = useId()
  const goals = useGoals(typed)
  const go = ({ to, act }: Goal) => {
    onClose()
    act?.()
    if (to !== undefined) navigate(to)
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const goal = goals[at]
    if (step) {
      event.preventDefault()
      setAt((at + step + goals.length) % Math.max(goals.length, 1))
    }
    if (event.key === 'Enter' && goal) go(goal)
  }
  return (
    <Dialog title={texts.palette.title} place="top" onClose={onClose}>
      <input
        role="combobox"
        aria-label={texts.shortcuts.palette}
        aria-expanded={goals.length > 0}
        aria-controls={list}
        aria-activedescendant={goals[at] && `${list}${at}`}
        placeholder={texts.shortcuts.palette}
        dir="auto"
        value={typed}
        onChange={({ target }) => {
          onType(target.value)
          setAt(0)
        }}
        onKeyDown={press}
        autoFocus
        className={`${controlClass} touch sticky top-0 z-10 h-10 shrink-0`}
      />
      <Goals id={list} goals={goals} at={at} onGo={go} />
    </Dialog>
  )
}

interface GoalsProps {
  readonly id: string
  readonly goals: readonly Goal[]
  readonly at: number
  onGo(goal: Goal): void
}

function Goals({ id, goals, at, onGo }: GoalsProps) {
  const { palette } = useTexts()
  const isSearching = useIsFetching({ queryKey: paletteUsersKey }) > 0
  if (goals.length === 0 && isSearching) return null
  if (goals.length === 0) return <p role="status">{palette.none}</p>
  return (
    <div id={id} role="listbox" aria-label={palette.title} className="-mx-2 flex flex-col">
      {goals.map((goal, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
        <div
          key={goal.title}
          id={`${id}${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          ref={index === at ? intoView : undefined}
          onClick={() => onGo(goal)}
          className="touch wrap-anywhere line-clamp-2 shrink-0 cursor-pointer rounded-md px-3 py-2 hover:bg-sunken aria-selected:bg-accent-soft aria-selected:text-accent-strong forced-colors:aria-selected:outline-2"
        >
          <bdi>{goal.title}</bdi> {goal.detail && <bdi className="ml-1 text-ink-soft text-small">{goal.detail}</bdi>}
        </div>
      ))}
    </div>
  )
}

const intoView = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' })

const mostGoals = 13
const leastPages = 4
const mostPages = 9

function useGoals(typed: string): readonly Goal[] {
  const texts = useTexts()
  const { user } = useSignedIn()
  const isAdministrator = user.role === 'administrator'
  const search = typed.trim().toLowerCase()
  const { data } = useQuery({ ...findUsersQuery(search), enabled: isAdministrator && search.length > 1 })
  const views = useQuery({ ...viewsQuery, enabled: isAdministrator })
  const acts = useActsOnUsers(search, isAdministrator)
  const signOut = useSignOut('/sign-in')
  const { items = [], total = 0, searched } = data ?? {}
  const people = items.map((found) => ({
    to: `/console/users/${found.id}`,
    title: texts.palette.person(found.email),
    detail: ownNameOf(found),
  }))
  const everybody = {
    to: `/console/users?${new URLSearchParams({ search })}`,
    title: searched === undefined ? texts.palette.everybody(total) : texts.palette.others,
  }
  const named: readonly Goal[] = [
    ...ownPages(texts),
    { title: texts.nav.signOut, act: signOut.mutate },
    ...(isAdministrator ? pagesOfConsole(texts) : []),
    ...(views.data?.items ?? []).map((view) => ({
      to: pathOfView(view),
      title: `${wordOf(texts.console, view.list)}: ${view.name}`,
    })),
  ]
  const found = named.filter(({ title, also = '' }) => `${title} ${also}`.toLowerCase().includes(search))
  const onUsers = [...people, ...(total > items.length || searched !== undefined ? [everybody] : []), ...acts]
  // However many pages have such a name, some of the users are shown.
  const room = Math.max(mostGoals - onUsers.length, leastPages)
  return [...found.slice(0, Math.min(room, mostPages)), ...onUsers].slice(0, mostGoals)
}

const alsoOf = ({ palette }: Texts, to: string) => palette.also[to] ?? ''

function ownPages(texts: Texts): readonly Goal[] {
  const { nav } = texts
  return [
    { to: '/', title: nav.home },
    { to: '/notifications', title: nav.notifications },
    { to: '/feedback', title: nav.feedback },
    ...ownTabs(texts).map(({ to, title }) => ({ to, title: `${nav.settings}: ${title}`, also: alsoOf(texts, to) })),
  ]
}

function pagesOfConsole(texts: Texts): readonly Goal[] {
  const { codes, invite, nav, publishing, webhooks } = texts
  const [, ...tabs] = consoleTabs(texts)
  const pages = [...consolePages.map(({ to, title }) => ({ to, title: title(texts) })), ...tabs]
  return [
    ...pages.map(({ to, title }) => ({ to, title: `${nav.console}: ${title}`, also: alsoOf(texts, to) })),
    { to: '/console/notifications?open=new', title: publishing.write },
    { to: '/console/users?open=new', title: invite.open },
    { to: '/console/beta-codes', title: codes.make },
    { to: '/console/webhooks', title: webhooks.add },
  ]
}
