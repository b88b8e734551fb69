import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useAct } from '../../../server/act.ts'
import { call, type Input, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { say } from '../../../toasts.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time, useDate } from '../../../ui/facts/time.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { wordsOf } from '../../../ui/messages/failure.tsx'
import { useFilters } from '../../use-filters.ts'
import { useOrder } from '../../use-order.ts'
import {
  consoleKeys,
  deliveriesQuery,
  deliveryStates,
  failedDeliveriesQuery,
  filterNames,
} from '../queries.ts'
import { useEventWords } from './event-words.ts'
import { failureWords } from './failure-words.ts'

type Delivery = Output<'/api/admin/list_webhook_deliveries'>['items'][number]

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

const TEST = 'webhook.test'
const FOLLOWED_EVERY_MS = 3000
const FOLLOWED_FOR_MS = 60_000

const LOOKS = { delivered: 'accent', pending: 'plain', failed: 'warning' } as const

interface Props {
  readonly webhookId: string
  /** Otherwise what waits is not attempted. */
  readonly isSending: boolean
}

/** What was sent to one endpoint, and its responses. */
export function Deliveries({ webhookId, isSending }: Props) {
  const { webhooks, inbox } = useTexts()
  const eventWords = useEventWords()
  const view = useFilters(filterNames.deliveries)
  const query = deliveriesQuery(webhookId, view)
  const [followedUntil, setFollowedUntil] = useState(0)
  const list = useQuery({
    ...query,
    refetchInterval: () => (Date.now() < followedUntil ? FOLLOWED_EVERY_MS : false),
  })
  const failed = useQuery(failedDeliveriesQuery(webhookId))
  const follow = () => setFollowedUntil(Date.now() + FOLLOWED_FOR_MS)
  const bulk = useBulkActs()
  const order = useOrder(query.order)
  const columns = useColumns({ isSending, onSent: follow })
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
        empty={<Nothing isFiltered={view.values.status !== undefined} />}
        filters={
          <Segments
            label={webhooks.state}
            value={deliveryStates.find((known) => known === view.values.status) ?? 'all'}
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

/** Tests are not sent again. */
const canBeSentAgain = ({ items, total }: { readonly items: readonly Delivery[]; readonly total: number }) =>
  total > items.length || items.some(({ type }) => type !== TEST)

/** Reads the list until what was sent again should have arrived. */
function useAgain(onSent: () => void) {
  const texts = useTexts()
  return useAct({
    act: (input: Input<'/api/admin/redeliver'>) => call('/api/admin/redeliver', input),
    done: ({ count }) => texts.webhooks.sentAgain(count),
    onDone: onSent,
    onFailed: (error) => say(wordsOf(texts, error), { isFailure: true }),
    refreshes: [consoleKeys.webhooks],
  })
}

function useBulkActs(): readonly BulkAct<Delivery>[] {
  const { webhooks } = useTexts()
  return [
    {
      label: webhooks.sendAgain,
      done: webhooks.sentAgain,
      refreshes: [consoleKeys.webhooks],
      isFor: ({ type }) => type !== TEST,
      act: ({ id }) => call('/api/admin/redeliver', { id }),
    },
  ]
}

const HOURS = { day: 24, week: 168 } as const

interface FailedAgainProps {
  readonly webhookId: string
  onSent(): void
}

function FailedAgain({ webhookId, onSent }: FailedAgainProps) {
  const { webhooks } = useTexts()
  const again = useAgain(onSent)
  const [since, setSince] = useState<keyof typeof webhooks.sinces>('all')
  const moment = () => (since === 'all' ? 0 : Date.now() - HOURS[since] * 3_600_000)
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="min-w-0 basis-56">
        <Select label={webhooks.since} value={since} options={webhooks.sinces} onChange={setSince} />
      </div>
      <Button
        isPending={again.isPending}
        onPress={() => again.mutate({ webhook_id: webhookId, failed_since: moment() })}
      >
        {webhooks.sendAllAgain}
      </Button>
    </div>
  )
}

interface Sending extends Pick<Props, 'isSending'> {
  onSent(): void
}

function useColumns({ isSending, onSent }: Sending): readonly Column<Delivery>[] {
  const { webhooks, common } = useTexts()
  const eventWords = useEventWords()
  return [
    {
      key: 'type',
      title: webhooks.type,
      cell: ({ type, body }) => (
        <details>
          <summary>{eventWords(type)}</summary>
          <code className="wrap-anywhere text-tiny">{body ?? webhooks.notKept}</code>
        </details>
      ),
    },
    {
      key: 'state',
      title: webhooks.state,
      width: 'w-32',
      cell: (delivery) => <State delivery={delivery} isSending={isSending} />,
    },
    {
      key: 'answer',
      title: webhooks.answer,
      cell: (delivery) => <Answered delivery={delivery} />,
    },
    { key: 'tries', title: webhooks.tries, width: 'w-24', cell: ({ tries }) => tries },
    {
      key: 'when',
      title: webhooks.when,
      width: 'w-32',
      cell: ({ last_attempt_at, created_at }) => <Time at={last_attempt_at ?? created_at} />,
    },
    {
      key: 'again',
      title: common.actions,
      isTitleHidden: true,
      width: 'w-32',
      align: 'end',
      cell: (delivery) => delivery.type !== TEST && <Again delivery={delivery} onSent={onSent} />,
    },
  ]
}

interface CellProps {
  readonly delivery: Delivery
}

function State({ delivery: { status, next_attempt_at }, isSending }: CellProps & Pick<Props, 'isSending'>) {
  const { webhooks } = useTexts()
  const isLater = isSending && next_attempt_at !== null && next_attempt_at > Date.now()
  return (
    <>
      <Badge look={LOOKS[status]}>{webhooks.states[status]}</Badge>
      {isLater && (
        <span className="block text-small text-ink-soft">
          {webhooks.nextAttempt} <Time at={next_attempt_at} />
        </span>
      )}
    </>
  )
}

function Again({ delivery: { id, type, created_at }, onSent }: CellProps & Pick<Sending, 'onSent'>) {
  const { webhooks } = useTexts()
  const eventWords = useEventWords()
  const date = useDate()
  const again = useAgain(onSent)
  return (
    <Button
      size="small"
      look="quiet"
      aria-label={`${webhooks.sendAgain}: ${eventWords(type)}, ${date(created_at)}`}
      isPending={again.isPending}
      onPress={() => again.mutate({ id })}
    >
      {webhooks.sendAgain}
    </Button>
  )
}

const SHORT = 100

/** A response can be a whole page. */
function Answered({ delivery }: CellProps) {
  const { webhooks } = useTexts()
  const { answer_code, answer } = delivery
  const words = failureWords(webhooks, delivery) ?? answer_code
  return (
    <div className="wrap-anywhere">
      {words} {answer && <Answer text={answer} />}
    </div>
  )
}

function Answer({ text }: { readonly text: string }) {
  if (text.length <= SHORT) return <PersonText>{text}</PersonText>
  return (
    <details>
      <summary>
        <bdi>{text.slice(0, SHORT)}</bdi>…
      </summary>
      <code dir="auto" className="block whitespace-pre-wrap text-tiny">
        {text}
      </code>
    </details>
  )
}
