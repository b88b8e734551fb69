import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { call } from '../api.ts'
import { notificationsKey, unreadQuery } from '../notifications.ts'
import { shownNameOf } from '../own-name.ts'
import { useSignedIn } from '../session.ts'
import { useTexts } from '../texts/texts.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Failure } from '../ui/failure.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Page } from '../ui/page.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { HomeNotices } from './home-notices.tsx'
import { NotificationRow } from './notification-row.tsx'
import { grantsQuery } from './settings/grants-query.ts'

const latestCount = 3

export function Home() {
  const { home } = useTexts()
  const { user } = useSignedIn()
  return (
    <Page title={home.title(shownNameOf(user))} lead={home.lead}>
      <HomeNotices />
      <Figures />
      <Latest />
      <FeedbackBand />
    </Page>
  )
}

function FeedbackBand() {
  const { home } = useTexts()
  return (
    <section className="relative flex flex-wrap items-center justify-between gap-x-8 gap-y-4 overflow-hidden rounded-lg bg-accent-soft px-5 py-6 sm:px-6">
      <Rings className="absolute top-3 right-52 h-56 text-accent opacity-25 max-md:hidden" />
      <div className="relative">
        <h2 className="font-semibold">{home.feedbackTitle}</h2>
        <p className="mt-0.5 text-ink-soft">{home.feedbackText}</p>
      </div>
      <Link to="/feedback" className={buttonClass({})}>
        {home.feedbackAction}
      </Link>
    </section>
  )
}

function Rings({ className }: { readonly className: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 200 160" className={className} fill="none" stroke="currentColor">
      {[30, 50, 70, 90].map((radius) => (
        <path key={radius} d={`M${100 - radius} 160V100a${radius} ${radius} 0 0 1 ${2 * radius} 0v60`} />
      ))}
    </svg>
  )
}

function Figures() {
  const { home } = useTexts()
  const { data: unread } = useQuery(unreadQuery)
  const { data: credits } = useQuery({
    queryKey: ['credits'],
    queryFn: () => call('/api/get_credit_summary', {}),
  })
  const { data: grants } = useQuery(grantsQuery)
  const connected = grants?.items.filter(({ status }) => status === 'active').length

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
      <h2 className="flex items-center gap-2 font-medium text-[0.867rem] text-ink-soft">
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
      <p className="tabular mt-3 font-semibold text-[1.867rem] leading-none tracking-[-0.02em]">
        {value === undefined ? <span className="text-ink-soft/40">–</span> : value.toLocaleString()}
      </p>
      <p className="mt-2 text-[0.867rem] text-ink-soft">{children}</p>
    </section>
  )
}

function Latest() {
  const { home, notifications } = useTexts()
  const latest = useQuery({
    queryKey: [...notificationsKey, 'latest'],
    queryFn: () => call('/api/list_notifications', { page_size: latestCount }),
  })
  return (
    <Card title={home.latest} action={<TextLink to="/notifications">{home.all}</TextLink>}>
      <Failure error={latest.error} />
      {latest.isPending && <Skeleton />}
      {latest.data?.items.length === 0 && (
        <EmptyState icon="bell" title={notifications.emptyTitle} text={notifications.emptyText} />
      )}
      <ul className="-my-1 divide-y divide-line">
        {latest.data?.items.map((notification) => (
          <NotificationRow key={notification.id} notification={notification} heading="h3" />
        ))}
      </ul>
    </Card>
  )
}
