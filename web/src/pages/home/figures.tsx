import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from '../../routing/router.tsx'
import { creditsQuery, unreadQuery } from '../../server/notifications.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { grantsQuery } from '../settings/queries.ts'

export function Figures() {
  const { home } = useTexts()
  const { data: unread } = useQuery(unreadQuery)
  const { data: credits } = useQuery(creditsQuery)
  const { data: grants } = useQuery(grantsQuery)
  const connected = grants?.filter(({ status }) => status === 'active').length

  return (
    <div className="grid gap-3 sm:grid-cols-3 sm:gap-4">
      <Figure icon="bell" title={home.unreadTitle} value={unread?.count} to="/notifications?show=unread">
        {unread && (unread.count === 0 ? home.unreadNone : home.unreadSome(unread.count))}
      </Figure>
      <Figure icon="coins" title={home.credits} value={credits?.balance}>
        {home.creditsText}
      </Figure>
      <Figure icon="terminal" title={home.connections} value={connected} to="/settings/access">
        {connected !== undefined &&
          (connected === 0 ? home.connectionsNone : home.connectionsSome(connected))}
      </Figure>
    </div>
  )
}

interface FigureProps {
  readonly icon: IconName
  readonly title: string
  readonly value: number | undefined
  readonly to?: string
  readonly children: ReactNode
}

function Figure({ icon, title, value, to, children }: FigureProps) {
  return (
    <section
      className={`relative rounded-lg border border-line bg-surface p-5 shadow-card ${to ? 'transition-colors focus-within:border-accent hover:border-line-strong' : ''}`}
    >
      <h2 className="flex items-center gap-2 font-medium text-small text-ink-soft">
        <Icon name={icon} className="size-4" />
        {to ? (
          <Link
            to={to}
            className="outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-accent"
          >
            {title}
          </Link>
        ) : (
          title
        )}
      </h2>
      <p className="tabular mt-3 font-semibold text-figure leading-none tracking-[-0.02em]">
        {value === undefined ? <span className="text-ink-soft/40">–</span> : value.toLocaleString()}
      </p>
      <p className="mt-2 text-small text-ink-soft">{children}</p>
    </section>
  )
}
