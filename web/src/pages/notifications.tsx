import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from '../routing/router.tsx'
import { call } from '../server/api.ts'
import {
  notificationsKey,
  notificationsPageSize,
  notificationsQuery,
  type Show,
  shownNotifications,
  unreadQuery,
} from '../server/notifications.ts'
import { useTexts } from '../texts/texts.tsx'
import { Card } from '../ui/card.tsx'
import { ActButton } from '../ui/controls/act-button.tsx'
import { Segments } from '../ui/controls/segments.tsx'
import { EmptyState } from '../ui/lists/empty-state.tsx'
import { Loaded } from '../ui/lists/loaded.tsx'
import { Pager } from '../ui/lists/pager.tsx'
import { Skeleton } from '../ui/lists/skeleton.tsx'
import { Page } from '../ui/page.tsx'
import { NotificationRow } from './notification-row.tsx'

export function Notifications() {
  const { notifications, common, nav } = useTexts()
  const [search, setSearch] = useSearchParams()
  const { show, page } = shownNotifications(search)
  const list = useQuery(notificationsQuery({ show, page }))

  return (
    <Page title={nav.notifications} lead={notifications.lead} actions={<ReadAll />}>
      <Segments
        label={common.show}
        value={show}
        options={{ all: common.all, unread: notifications.unread, read: notifications.read }}
        onChange={(value) => setSearch(value === 'all' ? {} : { show: value })}
      />
      <Card>
        <Loaded query={list} skeleton={<Skeleton rows={4} />}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty show={show} />
            ) : (
              <ul className="-my-4 divide-y divide-line">
                {items.map((notification) => (
                  <NotificationRow key={notification.id} notification={notification} heading="h2" />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Card>
      {list.data && (
        <Pager
          page={page}
          pageSize={notificationsPageSize}
          total={list.data.total}
          onChange={(next) => setSearch({ ...(show !== 'all' && { show }), page: String(next) })}
        />
      )}
    </Page>
  )
}

function ReadAll() {
  const { notifications } = useTexts()
  const { data: unread } = useQuery(unreadQuery)
  return (
    <div className="flex flex-col gap-2">
      <ActButton
        label={notifications.readAll}
        isDisabled={!unread?.count}
        act={() => call('/api/read_all_notifications', {})}
        done={notifications.allRead}
        refreshes={[notificationsKey]}
      />
    </div>
  )
}

function Empty({ show }: { readonly show: Show }) {
  const { notifications } = useTexts()
  const words = {
    all: [notifications.emptyTitle, notifications.emptyText],
    unread: [notifications.emptyUnreadTitle, notifications.emptyUnreadText],
    read: [notifications.emptyReadTitle, notifications.emptyReadText],
  } as const
  const [title, text] = words[show]
  return <EmptyState icon="bell" title={title} text={text} />
}
