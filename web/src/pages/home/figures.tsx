import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from '../../routing/router.tsx'
import { creditsQuery, unreadQuery } from '../../server/notifications.ts'
import { isActing, useSignedIn } from '../../server/session.ts'
import { useNumber } from '../../texts/numbers.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { grantsQuery } from '../settings/queries.ts'

export function Figures() {
  const { home, access, settings, notifications, nav } = useTexts()
  const isOwn = !isActing(useSignedIn())
  const tools = useQuery({ ...grantsQuery, enabled: isOwn })
  const queries = [useQuery(unreadQuery), useQuery(creditsQuery), ...(isOwn ? [tools] : [])] as const
  const [{ data: unread }, { data: credits }] = queries
  const { data: grants } = tools
  const connected = grants?.filter(({ status }) => status === 'active').length

  return (
    <>
      <FiguresFailure queries={queries} />
      <div className="grid gap-2 sm:grid-cols-3 sm:gap-4">
        <Figure icon="bell" title={nav.notifications} value={unread?.count} to="/notifications?show=unread">
          {unread && (unread.count === 0 ? notifications.emptyUnreadTitle : home.unreadSome(unread.count))}
        </Figure>
        <Figure icon="coins" title={home.credits} value={credits?.balance}>
          {home.creditsText}
        </Figure>
        {isOwn && (
          <Figure icon="terminal" title={settings.access} value={connected} to="/settings/access">
            {connected !== undefined && (connected === 0 ? access.emptyTitle : home.connectionsSome(connected))}
          </Figure>
        )}
      </div>
    </>
  )
}

/** One message for all of them: they are side by side, and usually fail together. */
function FiguresFailure({ queries }: { readonly queries: readonly UseQueryResult[] }) {
  const failed = queries.filter(({ isError }) => isError)
  if (failed.length === 0) return null
  const query = {
    error: failed[0]?.error ?? null,
    isFetching: failed.some(({ isFetching }) => isFetching),
    refetch: () => Promise.all(failed.map(({ refetch }) => refetch())),
  }
  return <LoadFailure query={query} />
}

interface FigureProps {
  readonly icon: IconName
  readonly title: string
  readonly value: number | undefined
  readonly to?: string
  readonly children: ReactNode
}

function Figure({ icon, title, value, to, children }: FigureProps) {
  const number = useNumber()
  return (
    <section
      className={`relative rounded-lg border border-line bg-surface p-5 shadow-card max-sm:flex max-sm:items-center max-sm:justify-between max-sm:py-3.5 ${to ? 'transition-colors focus-within:border-accent hover:border-line-strong' : ''}`}
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
      <p className="tabular font-semibold sm:mt-3 text-figure leading-none tracking-[-0.02em]">
        {value === undefined ? <span className="text-ink-soft/40">–</span> : number(value)}
      </p>
      <p className="mt-2 min-h-[1lh] text-small max-sm:hidden text-ink-soft">{children}</p>
    </section>
  )
}
