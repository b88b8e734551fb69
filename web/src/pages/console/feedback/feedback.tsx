import { useQuery } from '@tanstack/react-query'
import { visibleText } from '../../../own-name.ts'
import { ApiError, call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { RowButton } from '../../../ui/controls/row-button.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import type { Chip } from '../../../ui/lists/chips.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { FilterValue } from '../../../ui/lists/filter-value.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { useOrder } from '../../use-order.ts'
import { useKindWords } from '../audit/kind-words.ts'
import { CurrentStoreTrouble } from '../overview/store-trouble.tsx'
import {
  consoleKeys,
  feedbackFilterOf,
  feedbackQuery,
  type feedbackStatuses,
  filterNames,
} from '../queries.ts'
import type { FeedbackRow } from '../rows.ts'
import { SavedViews } from '../saved-views.tsx'
import { useOpened } from '../use-opened.ts'
import { useAddressOf } from '../users/person.ts'
import { FeedbackDetail } from './feedback-detail.tsx'
import { feedbackLooks } from './looks.ts'

type Filters = ReturnType<typeof useFilters<(typeof filterNames.feedback)[number]>>

export function ConsoleFeedback() {
  const { inbox, nav } = useTexts()
  const filters = useFilters(filterNames.feedback)
  const { open, setOpen } = filters
  const query = feedbackQuery(filters)
  const list = useQuery(query)
  const { opened, update } = useOpened(list.data?.items ?? [], open)
  const stepTo = (id: string | undefined) => (id === undefined ? undefined : () => setOpen(id))

  return (
    <Page
      title={inbox.title}
      tabTitle={`${inbox.title} · ${nav.console}`}
      lead={inbox.lead}
      actions={<SavedViews list="feedback" view={filters} />}
    >
      <List
        name="feedback"
        label={inbox.title}
        query={list}
        asked={opened ? undefined : open}
        rowKey={({ id }) => id}
        columns={useColumns(filters)}
        empty={<EmptyState icon="inbox" title={inbox.emptyTitle} text={inbox.emptyText} />}
        filters={<InboxFilters filters={filters} status={feedbackFilterOf(filters).status} />}
        moreFilters={<TypeFilter filters={filters} />}
        chips={useSenderChips(filters)}
        order={useOrder(query.order)}
        csv={{ columns: csvColumns, read: query.read }}
        bulk={useBulkActs()}
        rowName={({ content }) => content.slice(0, 80)}
        view={filters}
      />
      {isStoreAway(list.error) && <CurrentStoreTrouble />}
      {opened && (
        <FeedbackDetail
          key={opened.row.id}
          row={opened.row}
          previous={stepTo(opened.previous)}
          next={stepTo(opened.next)}
          onSaved={update}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Page>
  )
}

const isStoreAway = (error: Error | null) => error instanceof ApiError && error.code === 'STORE_UNAVAILABLE'

interface InboxFiltersProps {
  readonly filters: Filters
  readonly status: (typeof feedbackStatuses)[number] | undefined
}

function InboxFilters({ filters: { values, set }, status }: InboxFiltersProps) {
  const { inbox } = useTexts()
  return (
    <>
      <Segments
        label={inbox.status}
        value={status ?? 'all'}
        options={{ all: inbox.all, ...inbox.statuses }}
        onChange={(value) => set('status', value === 'all' ? undefined : value)}
      />
      <SearchField
        label={inbox.search}
        value={values.search ?? ''}
        maxLength={200}
        onSearch={(text, options) => set('search', text, options)}
      />
    </>
  )
}

function TypeFilter({ filters: { values, set } }: Pick<InboxFiltersProps, 'filters'>) {
  const { inbox } = useTexts()
  const kindOf = useKindWords()
  const { type = 'all' } = values
  return (
    <Select
      label={inbox.type}
      value={type}
      options={{ all: inbox.all, ...inbox.kinds, [type]: type === 'all' ? inbox.all : kindOf(type) }}
      onChange={(value) => set('type', value === 'all' ? undefined : value)}
    />
  )
}

function useSenderChips({ values: { user_id }, set }: Filters): readonly Chip[] {
  const { inbox } = useTexts()
  const value = useAddressOf(user_id)
  if (user_id === undefined) return []
  return [{ key: 'sender', name: inbox.sender, value, onRemove: () => set('user_id', undefined) }]
}

const csvColumns = [
  'id',
  'user_id',
  'type',
  'status',
  'content',
  'note',
  'reply',
  'created_at',
  'updated_at',
] as const

function useBulkActs(): readonly BulkAct<FeedbackRow>[] {
  const { inbox } = useTexts()
  return [
    {
      label: inbox.resolve,
      done: inbox.resolvedMany,
      refreshes: [consoleKeys.feedback],
      isFor: ({ status }) => status !== 'done',
      act: ({ id, user_id }) => call('/api/admin/update_feedback', { id, user_id, status: 'done' }),
    },
  ]
}

function Sender({ id }: { readonly id: string }) {
  return <PersonText>{useAddressOf(id)}</PersonText>
}

function useColumns({ set, setOpen }: Filters): readonly Column<FeedbackRow>[] {
  const { inbox } = useTexts()
  const kindOf = useKindWords()
  return [
    {
      key: 'content',
      title: inbox.content,
      cell: ({ id, content }) => (
        <RowButton onPress={() => setOpen(id)}>
          <bdi className="line-clamp-2">{visibleText(content)}</bdi>
        </RowButton>
      ),
    },
    {
      key: 'sender',
      title: inbox.sender,
      width: 'w-48',
      cell: ({ user_id }) => (
        <FilterValue onFilter={() => set('user_id', user_id)}>
          <Sender id={user_id} />
        </FilterValue>
      ),
    },
    {
      key: 'type',
      title: inbox.type,
      width: 'w-32',
      cell: ({ type }) => (
        <FilterValue onFilter={() => set('type', type)}>
          <bdi className="wrap-anywhere line-clamp-2">{kindOf(type)}</bdi>
        </FilterValue>
      ),
    },
    {
      key: 'status',
      title: inbox.status,
      width: 'w-32',
      cell: ({ status }) => <Badge look={feedbackLooks[status]}>{inbox.statuses[status]}</Badge>,
    },
    {
      key: 'when',
      title: inbox.when,
      width: 'w-36',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ]
}
