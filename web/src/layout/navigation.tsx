import { useQuery } from '@tanstack/react-query'
import { NavLink } from '../routing/router.tsx'
import { unreadQuery } from '../server/notifications.ts'
import { useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { AccountBlock } from './account-block.tsx'
import { Brand } from './brand.tsx'
import { consolePages } from './console-navigation.ts'
import { PaletteButton } from './open-palette.tsx'

export function Navigation({ onFollow }: { onFollow?(): void }) {
  const texts = useTexts()
  const { user } = useSignedIn()
  const { data: unread } = useQuery(unreadQuery)
  const { nav } = texts
  const follow = onFollow ?? (() => {})
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-16 shrink-0 items-center px-5">
        <Brand />
      </div>
      <PaletteButton {...(onFollow && { onOpen: onFollow })} />
      <nav aria-label={nav.label} className="flex grow flex-col gap-6 overflow-y-auto px-3 pt-2 pb-4">
        <ul className="flex flex-col gap-0.5">
          <Item to="/" icon="home" title={nav.home} onFollow={follow} />
          <Item
            to="/notifications"
            icon="bell"
            title={nav.notifications}
            count={unread?.count}
            onFollow={follow}
          />
          <Item to="/feedback" icon="message" title={nav.feedback} onFollow={follow} />
          <Item to="/settings" icon="settings" title={nav.settings} onFollow={follow} />
        </ul>
        {user.role === 'administrator' && consolePages.length > 0 && (
          <div>
            <p className="px-3 pb-1.5 font-medium text-tiny text-ink-soft">{nav.console}</p>
            <ul aria-label={nav.console} className="flex flex-col gap-0.5">
              {consolePages.map(({ to, icon, title }) => (
                <Item key={to} to={to} icon={icon} title={title(texts)} onFollow={follow} />
              ))}
            </ul>
          </div>
        )}
      </nav>
      <AccountBlock />
    </div>
  )
}

interface ItemProps {
  readonly to: string
  readonly icon: IconName
  readonly title: string
  readonly count?: number | undefined
  onFollow(): void
}

function Item({ to, icon, title, count = 0, onFollow }: ItemProps) {
  const { nav } = useTexts()
  return (
    <li>
      <NavLink
        to={to}
        end={to === '/' || to === '/console'}
        onClick={onFollow}
        className="flex h-9.5 items-center gap-3 rounded-md px-3 font-medium text-compact text-ink-soft transition-colors hover:bg-sunken/70 hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-strong"
      >
        <Icon name={icon} />
        <span className="grow truncate">{title}</span>
        {count > 0 && (
          <span className="tabular rounded-full bg-accent px-1.5 font-semibold text-micro text-on-accent leading-5">
            <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
            <span className="sr-only">{nav.unread(count)}</span>
          </span>
        )}
      </NavLink>
    </li>
  )
}
