import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { announcedPieces } from '../../../src/rules/pieces.ts'
import { useAct } from '../server/act.ts'
import { call } from '../server/api.ts'
import { type Notification, notificationsKey } from '../server/notifications.ts'
import { useClientConfig } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/controls/button.tsx'
import { textLinkClass } from '../ui/controls/text-link.tsx'
import { PersonProse } from '../ui/facts/person-text.tsx'
import { Time } from '../ui/facts/time.tsx'
import { Icon } from '../ui/icon.tsx'
import { Loaded } from '../ui/lists/loaded.tsx'
import { Failure } from '../ui/messages/failure.tsx'
import { LevelBadge } from './level-badge.tsx'
import { ApprovalCard } from './settings/approvals.tsx'
import { approvalsQuery } from './settings/queries.ts'

interface Props {
  readonly notification: Notification
  /** One below the heading that the list stands under. */
  readonly heading: 'h2' | 'h3'
}

export function NotificationRow({ notification, heading: Heading }: Props) {
  const { notifications } = useTexts()
  const { id, title, content, kind, link, level, read, created_at } = notification
  const { brand } = useClientConfig()
  const heading = useId()
  const address = addressOf(link, brand.home_url)
  const markRead = useAct({
    act: () => call('/api/read_notification', { id }),
    refreshes: [notificationsKey],
  })

  return (
    <li className="grid grid-cols-[0.5rem_minmax(0,1fr)] gap-x-3.5 py-4">
      <span className={`mt-2 size-2 rounded-full ${read ? '' : 'bg-accent forced-colors:bg-[CanvasText]'}`}>
        {!read && <span className="sr-only">{notifications.unread}</span>}
      </span>
      <article>
        <div className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5">
          <Heading
            id={heading}
            dir="auto"
            className={`wrap-anywhere min-w-0 ${read ? 'font-medium text-ink-soft' : 'font-semibold'}`}
          >
            {title} <LevelBadge level={level} />
          </Heading>
          <span className="text-tiny text-ink-soft">
            <Time at={created_at} />
          </span>
        </div>
        {kind === 'approval' ? (
          <Asking id={id} />
        ) : (
          <PersonProse text={content} piecesOf={announcedPieces} className="mt-1 text-ink-soft" />
        )}
        {address && kind !== 'approval' && (
          <a
            href={address}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={notifications.openNamed(title)}
            onClick={() => read || markRead.mutate()}
            className={`mt-1.5 mr-3.5 inline-block text-small ${textLinkClass}`}
          >
            {notifications.open}
          </a>
        )}
        {!read && (
          <div className="-ml-2.5 mt-1.5 forced-colors:ml-0">
            <Button
              look="plain"
              size="small"
              aria-describedby={heading}
              isPending={markRead.isPending}
              onPress={() => markRead.mutate()}
            >
              <Icon name="check" className="size-4" /> {notifications.markRead}
            </Button>
          </div>
        )}
        <Failure error={markRead.error} />
      </article>
    </li>
  )
}

/** The card of a call that waits, which is decided here. */
function Asking({ id }: { readonly id: string }) {
  const { approvals } = useTexts()
  const list = useQuery(approvalsQuery)
  return (
    <div className="mt-1 flex flex-col gap-3">
      <Loaded query={list} skeleton={null}>
        {({ items }) => {
          const approval = items.find((one) => one.id === id)
          return approval ? <ApprovalCard approval={approval} /> : <p className="text-ink-soft">{approvals.over}</p>
        }}
      </Loaded>
    </div>
  )
}

/** A path is one of the product's, as in a letter. */
function addressOf(link: string | null, homeUrl: string): string | undefined {
  if (link === null || !link.startsWith('/')) return link ?? undefined
  return URL.parse(link, homeUrl)?.href
}
