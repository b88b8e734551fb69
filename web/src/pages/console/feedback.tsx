import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RowButton } from '../../ui/row-button.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { FeedbackDetail } from './feedback-detail.tsx'
import { FeedbackExport } from './feedback-export.tsx'
import type { FeedbackRow } from './rows.ts'
import { useFilters } from './use-filters.ts'

const pageSize = 20
const statuses = ['new', 'in_progress', 'done'] as const
const looks = { new: 'accent', in_progress: 'warning', done: 'plain' } as const

export function ConsoleFeedback() {
  const { inbox } = useTexts()
  const { values, page, open, set, setPage, setOpen } = useFilters(['status', 'type', 'search', 'user_id'])
  const { status: asked, ...filters } = values
  const status = statuses.find((known) => known === asked)
  const filter = { ...filters, ...(status && { status }) }
  const list = useQuery({
    queryKey: ['console', 'feedback', filter, page],
    queryFn: () => call('/api/admin/list_feedbacks', { ...filter, page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  const opened = list.data?.items.find(({ id }) => id === open)

  return (
    <Page title={inbox.title} lead={inbox.lead} actions={<FeedbackExport filter={filter} />}>
      <FilterBar>
        <Segments
          label={inbox.status}
          value={status ?? 'all'}
          options={{ all: inbox.all, ...inbox.statuses }}
          onChange={(value) => set('status', value === 'all' ? undefined : value)}
        />
        <SearchField
          label={inbox.search}
          value={values.search ?? ''}
          onSearch={(text) => set('search', text)}
        />
        <SearchField label={inbox.type} value={values.type ?? ''} onSearch={(text) => set('type', text)} />
      </FilterBar>
      <Failure error={list.error} />
      {list.isPending && <Skeleton rows={6} />}
      {list.data?.items.length === 0 && (
        <EmptyState icon="inbox" title={inbox.emptyTitle} text={inbox.emptyText} />
      )}
      {list.data && list.data.items.length > 0 && <Rows rows={list.data.items} onOpen={setOpen} />}
      {list.data && <Pager page={page} pageSize={pageSize} total={list.data.total} onChange={setPage} />}
      {opened && <FeedbackDetail key={opened.id} row={opened} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

function Rows({ rows, onOpen }: { readonly rows: readonly FeedbackRow[]; onOpen(id: string): void }) {
  const { inbox } = useTexts()
  return (
    <Table
      label={inbox.title}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'content',
          title: inbox.content,
          cell: ({ id, content }) => (
            <RowButton onPress={() => onOpen(id)}>
              <span className="line-clamp-2 break-words">{content}</span>
            </RowButton>
          ),
        },
        { key: 'type', title: inbox.type, isExtra: true, cell: ({ type }) => type },
        {
          key: 'status',
          title: inbox.status,
          cell: ({ status }) => <Badge look={looks[status]}>{inbox.statuses[status]}</Badge>,
        },
        { key: 'when', title: inbox.when, isExtra: true, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  )
}
