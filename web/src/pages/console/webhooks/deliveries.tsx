import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Segments } from '../../../ui/controls/segments.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { useFilters } from '../../use-filters.ts'
import { useShown } from '../../use-shown.ts'
import { deliveriesQuery, deliveryStates, failedDeliveriesQuery, filterNames } from '../queries.ts'
import { useColumns } from './delivery-columns.tsx'
import { canBeSentAgain, FailedAgain, useBulkActs } from './send-again.tsx'

/** The list is read again until what was sent again should have arrived. */
const FOLLOWED_EVERY_MS = 3000
const FOLLOWED_FOR_MS = 60_000

interface Props {
  readonly webhookId: string
  /** False while the endpoint is off: waiting deliveries are then not attempted. */
  readonly isOn: boolean
}

/** Deliveries to one endpoint, with its responses. */
export function Deliveries({ webhookId, isOn }: Props) {
  const { webhooks, common } = useTexts()
  const view = useFilters(filterNames.deliveries)
  const status = view.choice('status', deliveryStates)
  const [followedUntil, setFollowedUntil] = useState(0)
  const refetchInterval = () => (Date.now() < followedUntil ? FOLLOWED_EVERY_MS : false)
  const shown = useShown({ ...deliveriesQuery(webhookId, view), refetchInterval }, view)
  const failed = useQuery(failedDeliveriesQuery(webhookId))
  const follow = () => setFollowedUntil(Date.now() + FOLLOWED_FOR_MS)
  const bulk = useBulkActs(follow)
  const columns = useColumns({ isOn, onSent: follow })
  if (!useDeferredValue(areSettled([shown.query, failed]))) return <Skeleton rows={5} />
  return (
    <div className="flex flex-col gap-3">
      {failed.data && canBeSentAgain(failed.data) && <FailedAgain webhookId={webhookId} onSent={follow} />}
      <List
        name="deliveries"
        label={webhooks.deliveries}
        {...shown}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <EmptyState
            icon="inbox"
            title={status.value === 'all' ? webhooks.nothingSent : webhooks.noneTitle}
            text={status.value === 'all' ? webhooks.nothingSentText : webhooks.noneText}
          />
        }
        filters={<Segments {...status} label={common.status} options={{ all: common.all, ...webhooks.states }} />}
        bulk={bulk}
        rowName={({ type, id }) => `${wordOf(webhooks.events, type)} ${id}`}
      />
    </div>
  )
}
