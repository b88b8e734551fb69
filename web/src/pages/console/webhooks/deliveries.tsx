import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct } from '../../../server/act.ts'
import { call, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { Time, useDate } from '../../../ui/facts/time.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Failure } from '../../../ui/messages/failure.tsx'
import { useFilters } from '../../use-filters.ts'
import { useOrder } from '../../use-order.ts'
import { consoleKeys, deliveriesQuery, deliveryStates, filterNames } from '../queries.ts'
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

const LOOKS = { delivered: 'accent', pending: 'plain', failed: 'warning' } as const

/** What was sent to one endpoint, and its responses. */
export function Deliveries({ webhookId }: { readonly webhookId: string }) {
  const { webhooks, inbox } = useTexts()
  const eventWords = useEventWords()
  const view = useFilters(filterNames.deliveries)
  const query = deliveriesQuery(webhookId, view)
  const list = useQuery(query)
  const again = useAct({
    act: (input: { readonly id: string } | { readonly webhook_id: string; readonly failed_since: number }) =>
      call('/api/admin/redeliver', input),
    done: ({ count }) => webhooks.sentAgain(count),
    refreshes: [consoleKeys.webhooks],
  })
  return (
    <div className="flex flex-col gap-3">
      <FailedAgain
        isPending={again.isPending}
        onAgain={(failed_since) => again.mutate({ webhook_id: webhookId, failed_since })}
      />
      <Failure error={again.error} />
      <List
        name="deliveries"
        label={webhooks.deliveries}
        query={list}
        rowKey={({ id }) => id}
        columns={useColumns((id) => again.mutate({ id }))}
        empty={<EmptyState icon="inbox" title={webhooks.nothingSent} text={webhooks.nothingSentText} />}
        filters={
          <Segments
            label={webhooks.state}
            value={deliveryStates.find((known) => known === view.values.status) ?? 'all'}
            options={{ all: inbox.all, ...webhooks.states }}
            onChange={(value) => view.set('status', value === 'all' ? undefined : value)}
          />
        }
        order={useOrder(query.order)}
        csv={{ columns: csvColumns, read: query.read }}
        bulk={useBulkActs()}
        rowName={({ type, id }) => `${eventWords(type)} ${id}`}
        view={view}
      />
    </div>
  )
}

function useBulkActs(): readonly BulkAct<Delivery>[] {
  const { webhooks } = useTexts()
  return [
    {
      label: webhooks.sendAgain,
      done: webhooks.sentAgain,
      refreshes: [consoleKeys.webhooks],
      isFor: ({ type }) => type !== 'webhook.test',
      act: ({ id }) => call('/api/admin/redeliver', { id }),
    },
  ]
}

const HOURS = { day: 24, week: 168 } as const

interface FailedAgainProps {
  readonly isPending: boolean
  onAgain(since: number): void
}

function FailedAgain({ isPending, onAgain }: FailedAgainProps) {
  const { webhooks } = useTexts()
  const [since, setSince] = useState<keyof typeof webhooks.sinces>('all')
  const moment = () => (since === 'all' ? 0 : Date.now() - HOURS[since] * 3_600_000)
  return (
    <div className="flex flex-wrap items-end gap-3">
      <div className="min-w-0 basis-56">
        <Select label={webhooks.since} value={since} options={webhooks.sinces} onChange={setSince} />
      </div>
      <Button isPending={isPending} onPress={() => onAgain(moment())}>
        {webhooks.sendAllAgain}
      </Button>
    </div>
  )
}

function useColumns(onAgain: (id: string) => void): readonly Column<Delivery>[] {
  const { webhooks, common } = useTexts()
  const eventWords = useEventWords()
  const date = useDate()
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
      width: 'w-28',
      cell: ({ status }) => <Badge look={LOOKS[status]}>{webhooks.states[status]}</Badge>,
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
      cell: ({ id, type, created_at }) =>
        type !== 'webhook.test' && (
          <Button
            size="small"
            look="quiet"
            aria-label={`${webhooks.sendAgain}: ${eventWords(type)}, ${date(created_at)}`}
            onPress={() => onAgain(id)}
          >
            {webhooks.sendAgain}
          </Button>
        ),
    },
  ]
}

const SHORT = 160

/** A response can be a whole page. */
function Answered({ delivery }: { readonly delivery: Delivery }) {
  const { webhooks } = useTexts()
  const { answer_code, answer } = delivery
  const whole = [failureWords(webhooks, delivery) ?? answer_code, answer].filter(Boolean).join(' ')
  if (whole.length <= SHORT)
    return (
      <bdi dir="ltr" className="wrap-anywhere">
        {whole}
      </bdi>
    )
  return (
    <details className="wrap-anywhere">
      <summary>
        <bdi dir="ltr">{whole.slice(0, SHORT)}</bdi>…
      </summary>
      <code className="text-tiny">{answer}</code>
    </details>
  )
}
