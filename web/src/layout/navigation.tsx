import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { newFeedbackQuery, pathOfView, viewsQuery } from '../pages/console/queries.ts'
import { Link, NavLink, useLocation } from '../routing/router.tsx'
import { isOfAdministration, may } from '../scope-tiers.ts'
import { unreadQuery } from '../server/notifications.ts'
import { useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { AccountBlock } from './account-block.tsx'
import { Brand } from './brand.tsx'
import { isSharedAt, overviewPage, sharedGroups } from './console-navigation.ts'
import { PaletteButton } from './open-palette.tsx'

/** A window too low for the whole menu scrolls all of it, not a strip between its ends. */
const lowWindow =
  '[@media(max-height:36rem)]:h-auto [@media(max-height:36rem)]:min-h-full [@media(max-height:36rem)]:overflow-visible'

export function Navigation({ onFollow = () => {} }: { onFollow?(): void }) {
  const { nav } = useTexts()
  const { user } = useSignedIn()
  const { pathname } = useLocation()
  const isStaff = isOfAdministration(user)
  const isConsole = isStaff && pathname.startsWith('/console')
  return (
    <div className={`flex h-full flex-col ${lowWindow}`}>
      <div className="flex h-14 shrink-0 items-center px-5">
        <Brand />
      </div>
      <PaletteButton onOpen={onFollow} />
      <nav aria-label={nav.label} className={`flex grow flex-col gap-3 overflow-y-auto px-3 pt-1 pb-3 ${lowWindow}`}>
        {isStaff && <Places isConsole={isConsole} />}
        {isConsole ? <ConsoleMenu onFollow={onFollow} /> : <OwnMenu onFollow={onFollow} />}
      </nav>
      <AccountBlock />
    </div>
  )
}

interface Following {
  onFollow(): void
}

/**
 * Switches between the account and the console, and shows how much waits in the other. On a phone the sheet stays open.
 */
function Places({ isConsole }: { readonly isConsole: boolean }) {
  const { nav } = useTexts()
  const { data: unread } = useQuery(unreadQuery)
  const { user } = useSignedIn()
  const { data: feedback } = useQuery({ ...newFeedbackQuery, enabled: may(user, 'admin:feedback:read') })
  return (
    <ul aria-label={nav.places} className="flex rounded-md bg-sunken p-1 *:min-w-0 *:grow forced-colors:border">
      <Place to="/" title={nav.account} isHere={!isConsole}>
        {isConsole && <Count count={unread?.count} words={nav.unread} />}
      </Place>
      <Place to="/console" title={nav.console} isHere={isConsole}>
        {!isConsole && <Count count={feedback?.total} words={nav.newFeedback} />}
      </Place>
    </ul>
  )
}

interface PlaceProps {
  readonly to: string
  readonly title: string
  readonly isHere: boolean
  readonly children: ReactNode
}

function Place({ to, title, isHere, children }: PlaceProps) {
  return (
    <li>
      <Link
        to={to}
        aria-current={isHere ? 'true' : undefined}
        className="touch flex h-8 items-center justify-center gap-1.5 rounded-sm px-2 font-medium text-ink-soft text-small hover:text-ink aria-[current]:bg-surface aria-[current]:text-accent-strong aria-[current]:shadow-card dark:aria-[current]:bg-accent-soft"
      >
        <span className="truncate">{title}</span>
        {children}
      </Link>
    </li>
  )
}

function OwnMenu({ onFollow }: Following) {
  const { nav } = useTexts()
  const { data: unread } = useQuery(unreadQuery)
  return (
    <ul className="flex flex-col gap-0.5">
      <Item to="/" icon="home" title={nav.home} onFollow={onFollow} />
      <Item to="/notifications" icon="bell" title={nav.notifications} onFollow={onFollow}>
        <Count count={unread?.count} words={nav.unread} />
      </Item>
      <Item to="/feedback" icon="message" title={nav.feedback} onFollow={onFollow} />
      <Item to="/settings" icon="settings" title={nav.settings} onFollow={onFollow} />
    </ul>
  )
}

/** In a phone's bar, where the menu is closed. */
export function BellInBar() {
  const { nav } = useTexts()
  const { data: unread } = useQuery(unreadQuery)
  return (
    <Link
      to="/notifications"
      aria-label={unread?.count ? `${nav.notifications}, ${nav.unread(unread.count)}` : nav.notifications}
      className="touch relative grid size-10 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
    >
      <Icon name="bell" />
      {(unread?.count ?? 0) > 0 && (
        <span
          aria-hidden="true"
          className="absolute top-2 right-2 size-2.5 rounded-full border-2 border-surface bg-accent forced-colors:bg-[Highlight]"
        />
      )}
    </Link>
  )
}

function ConsoleMenu({ onFollow }: Following) {
  const texts = useTexts()
  const { nav } = texts
  const { user } = useSignedIn()
  const { data: feedback } = useQuery({ ...newFeedbackQuery, enabled: may(user, 'admin:feedback:read') })
  const { data: views } = useQuery(viewsQuery)
  return (
    <ul aria-label={nav.console} className="flex flex-col gap-2">
      {isSharedAt(user, overviewPage.to) && (
        <Item {...overviewPage} title={overviewPage.title(texts)} onFollow={onFollow} />
      )}
      {sharedGroups(user).map(({ key, pages }) => (
        <li key={key}>
          <p className="px-3 pb-0.5 font-medium text-ink-soft text-tiny">{nav.groups[key]}</p>
          <ul aria-label={nav.groups[key]} className="flex flex-col gap-0.5">
            {pages.map(({ to, icon, title }) => (
              <Fragment key={to}>
                <Item to={to} icon={icon} title={title(texts)} onFollow={onFollow}>
                  {to === '/console/feedback' && <Count count={feedback?.total} words={nav.newFeedback} />}
                </Item>
                {views?.items
                  .filter(({ list }) => to === `/console/${list}`)
                  .map((view) => (
                    <SavedView key={view.id} to={pathOfView(view)} name={view.name} onFollow={onFollow} />
                  ))}
              </Fragment>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  )
}

interface SavedViewProps extends Following {
  readonly to: string
  readonly name: string
}

/** Shown below the list that it filters. */
function SavedView({ to, name, onFollow }: SavedViewProps) {
  const { pathname, search } = useLocation()
  return (
    <li>
      <Link
        to={to}
        onClick={onFollow}
        aria-current={to === pathname + search ? 'page' : undefined}
        className="touch flex h-7.5 items-center rounded-md pr-3 pl-10.5 text-ink-soft text-small transition-colors hover:bg-sunken/70 hover:text-ink aria-[current=page]:text-accent-strong"
      >
        <bdi className="truncate">{name}</bdi>
      </Link>
    </li>
  )
}

interface ItemProps extends Following {
  readonly to: string
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
}

function Item({ to, icon, title, onFollow, children }: ItemProps) {
  return (
    <li>
      <NavLink
        to={to}
        end={to === '/' || to === '/console'}
        onClick={onFollow}
        className="touch flex h-8 items-center gap-3 rounded-md px-3 font-medium text-compact text-ink-soft transition-colors hover:bg-sunken/70 hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-strong"
      >
        <Icon name={icon} />
        <span className="grow truncate">{title}</span>
        {children}
      </NavLink>
    </li>
  )
}

interface CountProps {
  readonly count: number | undefined
  words(count: number): string
}

function Count({ count = 0, words }: CountProps) {
  if (count === 0) return null
  return (
    <span className="tabular rounded-full bg-accent px-1.5 font-semibold text-micro text-on-accent leading-5">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span className="sr-only">{words(count)}</span>
    </span>
  )
}
