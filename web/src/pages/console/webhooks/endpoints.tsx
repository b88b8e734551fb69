import type { UseQueryResult } from '@tanstack/react-query'
import { inOneResponse, type OnePage } from '../../../server/all-pages.ts'
import { call, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { RowLink } from '../../../ui/controls/row-link.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import { timeColumn } from '../../../ui/lists/columns.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { consoleKeys, webhooksQuery } from '../queries.ts'

export type Webhook = Output<'/api/admin/list_webhooks'>['items'][number]

interface Props {
  readonly query: UseQueryResult<OnePage<Webhook>>
}

export function Endpoints({ query }: Props) {
  const { webhooks } = useTexts()
  return (
    <List
      name="webhooks"
      label={webhooks.title}
      query={query}
      rowKey={({ id }) => id}
      rowName={({ url }) => url}
      columns={useColumns()}
      empty={<EmptyState icon="link" title={webhooks.emptyTitle} text={webhooks.emptyText} />}
      read={inOneResponse(webhooksQuery.queryFn)}
      bulk={useBulkActs()}
    />
  )
}

function useBulkActs(): readonly BulkAct<Webhook>[] {
  const { webhooks } = useTexts()
  const turning = (enabled: boolean) => ({
    label: enabled ? webhooks.switchOn : webhooks.switchOff,
    done: enabled ? webhooks.switchedOnMany : webhooks.switchedOffMany,
    refreshes: [consoleKeys.webhooks],
    isFor: (row: Webhook) => row.enabled !== enabled,
    act: ({ id }: Webhook) => call('/api/admin/update_webhook', { id, enabled }),
  })
  return [turning(true), turning(false)]
}

function useColumns(): readonly Column<Webhook>[] {
  const { webhooks, common } = useTexts()
  return [
    {
      key: 'url',
      title: webhooks.url,
      cell: ({ id, url }) => (
        <RowLink to={`/console/webhooks/${id}`}>
          <bdi>{url}</bdi>
        </RowLink>
      ),
    },
    {
      key: 'types',
      title: webhooks.types,
      width: 'w-48',
      cell: ({ types }) =>
        types.length === 0 ? webhooks.allTypes : types.map((type) => wordOf(webhooks.events, type)).join(', '),
    },
    {
      key: 'state',
      title: common.status,
      width: 'w-48',
      cell: (row) => <State row={row} />,
    },
    timeColumn('taken', webhooks.lastTaken, ({ last_taken_at }) => last_taken_at),
  ]
}

/** Off, working, or failing, and since when. */
export function State({ row: { enabled, failing_since, switched_off_at } }: { readonly row: Webhook }) {
  const { webhooks } = useTexts()
  const since = switched_off_at ?? failing_since
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Badge look={!enabled ? 'plain' : since === null ? 'accent' : 'warning'}>
        {!enabled ? webhooks.off : since === null ? webhooks.working : webhooks.failing}
      </Badge>
      {since !== null && (
        <span className="text-small text-ink-soft">
          {switched_off_at === null ? webhooks.failingSince : webhooks.switchedOff} <Time at={since} />
        </span>
      )}
    </span>
  )
}
