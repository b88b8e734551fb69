import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useTexts } from '../../../texts/texts.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { useFilters } from '../../use-filters.ts'
import { useOrder } from '../../use-order.ts'
import { deliveriesQuery, deliveryFilterOf, failedDeliveriesQuery, filterNames } from '../queries.ts'
import { useColumns } from './delivery-columns.tsx'
import { useEventWords } from './event-words.ts'
import { canBeSentAgain, FailedAgain, useBulkActs } from './send-again.tsx'

const csvColumns = [
  'id',
  'event_id',
  'type',
  'user_id',
  'status',
  'tries',
  'answer_code',
  'answer',
  'error',
  'milliseconds',
  'created_at',
  'last_attempt_at',
] as const

/** The list is read again until what was sent again should have arrived. */
const FOLLOWED_EVERY_MS = 3000
const FOLLOWED_FOR_MS = 60_000

interface Props {
  readonly webhookId: string
  /** While the endpoint is off, what waits is not attempted. */
  readonly isOn: boolean
}

/** What was sent to one endpoint, and its responses. */
export function Deliveries({ webhookId, isOn }: Props) {
  const { webhooks, inbox } = useTexts()
  const eventWords = useEventWords()
  const view = useFilters(filterNames.deliveries)
  const { status } = deliveryFilterOf(view)
  const query = deliveriesQuery(webhookId, view)
  const [followedUntil, setFollowedUntil] = useState(0)
  const list = useQuery({
    ...query,
    refetchInterval: () => (Date.now() < followedUntil ? FOLLOWED_EVERY_MS : false),
  })
  const failed = useQuery(failedDeliveriesQuery(webhookId))
  const follow = () => setFollowedUntil(Date.now() + FOLLOWED_FOR_MS)
  const bulk = useBulkActs(follow)
  const order = useOrder(query.order)
  const columns = useColumns({ isOn, onSent: follow })
  if (!useDeferredValue(areSettled([list, failed]))) return <Skeleton rows={5} />
  return (
    <div className="flex flex-col gap-3">
      {failed.data && canBeSentAgain(failed.data) && <FailedAgain webhookId={webhookId} onSent={follow} />}
      <List
        name="deliveries"
        label={webhooks.deliveries}
        query={list}
        rowKey={({ id }) => id}
        columns={columns}
        empty={<Nothing isFiltered={status !== undefined} />}
        filters={
          <Segments
            label={webhooks.state}
            value={status ?? 'all'}
            options={{ all: inbox.all, ...webhooks.states }}
            onChange={(value) => view.set('status', value === 'all' ? undefined : value)}
          />
        }
        order={order}
        csv={{ columns: csvColumns, read: query.read }}
        bulk={bulk}
        rowName={({ type, id }) => `${eventWords(type)} ${id}`}
        view={view}
      />
    </div>
  )
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const { webhooks } = useTexts()
  return isFiltered ? (
    <EmptyState icon="inbox" title={webhooks.noneTitle} text={webhooks.noneText} />
  ) : (
    <EmptyState icon="inbox" title={webhooks.nothingSent} text={webhooks.nothingSentText} />
  )
}
