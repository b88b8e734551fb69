import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { useAct } from '../act.ts'
import { call } from '../api.ts'
import { notificationsKey, unreadQuery } from '../notifications.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Failure } from '../ui/failure.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Page } from '../ui/page.tsx'
import { Pager } from '../ui/pager.tsx'
import { Segments } from '../ui/segments.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { NotificationRow } from './notification-row.tsx'

const pageSize = 10
const readOf = { all: {}, unread: { read: false }, read: { read: true } } as const
type Show = keyof typeof readOf
const isShow = (value: string | null): value is Show => value !== null && value in readOf

/** `?show=` and `?page=` say what is seen, so that a view can be kept or shared. */
export function Notifications() {
  const { notifications } = useTexts()
  const [search, setSearch] = useSearchParams()
  const asked = search.get('show')
  const show = isShow(asked) ? asked : 'all'
  const page = Math.max(1, Math.trunc(Number(search.get('page') ?? 1)) || 1)
  const list = useQuery({
    queryKey: [...notificationsKey, 'list', show, page],
    queryFn: () => call('/api/list_notifications', { ...readOf[show], page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })

  return (
    <Page title={notifications.title} lead={notifications.lead} actions={<ReadAll />}>
      <Segments
        label={notifications.filter}
        value={show}
        options={{ all: notifications.all, unread: notifications.unread, read: notifications.read }}
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
          pageSize={pageSize}
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
  const readAll = useAct({
    act: () => call('/api/read_all_notifications', {}),
    done: notifications.allRead,
    refreshes: [notificationsKey],
  })
  return (
    <div className="flex flex-col gap-2">
      <Button isDisabled={!unread?.count} isPending={readAll.isPending} onPress={() => readAll.mutate()}>
        {notifications.readAll}
      </Button>
      <Failure error={readAll.error} />
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
