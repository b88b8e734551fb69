import { visibleText } from '../../../own-name.ts'
import { ApiError, call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { RowButton } from '../../../ui/controls/row-button.tsx'
import { SearchField } from '../../../ui/controls/search-field.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Pane } from '../../../ui/dialogs/pane.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import type { Chip } from '../../../ui/lists/chips.tsx'
import { byAge, timeColumn } from '../../../ui/lists/columns.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { FilterValue } from '../../../ui/lists/filter-value.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { useHasTwoPanes } from '../../../wide.ts'
import { useFilters } from '../../use-filters.ts'
import { useShown } from '../../use-shown.ts'
import { CurrentStoreTrouble } from '../overview/store-trouble.tsx'
import { consoleKeys, feedbackQuery, feedbackStatuses, filterNames } from '../queries.ts'
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
  const shown = useShown(feedbackQuery(filters), filters)
  const { data, error } = shown.query
  const { opened, update } = useOpened(data?.items ?? [], open)
  const isBeside = useHasTwoPanes() && opened !== undefined
  const columns = useColumns(filters, isBeside)
  const close = () => setOpen(undefined)
  const stepTo = (id: string | undefined) => (id === undefined ? undefined : () => setOpen(id))

  return (
    <Page
      title={inbox.title}
      tabTitle={`${inbox.title} · ${nav.console}`}
      lead={inbox.lead}
      actions={<SavedViews list="feedback" view={filters} />}
    >
      <div className={isBeside ? 'grid grid-cols-[minmax(0,23rem)_minmax(0,1fr)] items-start gap-6' : ''}>
        <List
          name="feedback"
          label={inbox.title}
          {...shown}
          asked={opened ? undefined : open}
          rowKey={({ id }) => id}
          columns={columns}
          empty={<EmptyState icon="inbox" title={inbox.emptyTitle} text={inbox.emptyText} />}
          filters={<InboxFilters filters={filters} />}
          moreFilters={<TypeFilter filters={filters} />}
          chips={useSenderChips(filters)}
          bulk={useBulkActs()}
          rowName={({ content }) => content.slice(0, 80)}
        />
        {opened && (
          <Pane title={<bdi>{wordOf(inbox.kinds, opened.row.type)}</bdi>} onClose={close}>
            <FeedbackDetail
              key={opened.row.id}
              row={opened.row}
              previous={stepTo(opened.previous)}
              next={stepTo(opened.next)}
              onSaved={update}
              onClose={close}
            />
          </Pane>
        )}
      </div>
      {isStoreAway(error) && <CurrentStoreTrouble />}
    </Page>
  )
}

const isStoreAway = (error: Error | null) => error instanceof ApiError && error.code === 'STORE_UNAVAILABLE'

function InboxFilters({ filters }: { readonly filters: Filters }) {
  const { inbox, common } = useTexts()
  return (
    <>
      <Segments
        {...filters.choice('status', feedbackStatuses)}
        label={common.status}
        options={{ all: common.all, ...inbox.statuses }}
      />
      <SearchField {...filters.search} label={inbox.search} maxLength={200} />
    </>
  )
}

function TypeFilter({ filters: { values, set } }: { readonly filters: Filters }) {
  const { inbox, common } = useTexts()
  const { type = 'all' } = values
  const chosen = type === 'all' ? common.all : wordOf(inbox.kinds, type)
  return (
    <Select
      label={inbox.type}
      value={type}
      options={{ all: common.all, ...inbox.kinds, [type]: chosen }}
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
  const address = useAddressOf(id)
  return (
    <span className="block truncate" title={address}>
      <PersonText>{address}</PersonText>
    </span>
  )
}

interface ContentProps {
  readonly row: FeedbackRow
  readonly isBeside: boolean
  onOpen(): void
}

/** Beside what is open, a second line has what the other columns said. The button stays: it gets the focus back. */
function Content({ row: { user_id, content, status, created_at }, isBeside, onOpen }: ContentProps) {
  const { inbox } = useTexts()
  return (
    <div className="min-w-0">
      <RowButton onPress={onOpen}>
        <bdi>{visibleText(content)}</bdi>
      </RowButton>
      {isBeside && (
        <p className="mt-0.5 flex items-baseline gap-2 text-ink-soft text-tiny">
          <span className="min-w-0">
            <Sender id={user_id} />
          </span>
          <Time at={created_at} />
          <span className="ml-auto">
            <Badge look={feedbackLooks[status]}>{inbox.statuses[status]}</Badge>
          </span>
        </p>
      )}
    </div>
  )
}

function useColumns({ set, setOpen }: Filters, isBeside: boolean): readonly Column<FeedbackRow>[] {
  const { inbox, common } = useTexts()
  const content: Column<FeedbackRow> = {
    key: 'content',
    title: inbox.content,
    cell: (row) => <Content row={row} isBeside={isBeside} onOpen={() => setOpen(row.id)} />,
  }
  if (isBeside) return [content]
  return [
    content,
    {
      key: 'sender',
      title: inbox.sender,
      width: 'w-56',
      leaves: 1,
      cell: ({ user_id }) => (
        <FilterValue onFilter={() => set('user_id', user_id)}>
          <Sender id={user_id} />
        </FilterValue>
      ),
    },
    {
      key: 'type',
      title: inbox.type,
      width: 'w-28',
      leaves: 2,
      cell: ({ type }) => (
        <FilterValue onFilter={() => set('type', type)}>
          <bdi className="wrap-anywhere line-clamp-2">{wordOf(inbox.kinds, type)}</bdi>
        </FilterValue>
      ),
    },
    {
      key: 'status',
      title: common.status,
      width: 'w-28',
      leaves: 4,
      isPlain: true,
      cell: ({ status }) => <Badge look={feedbackLooks[status]}>{inbox.statuses[status]}</Badge>,
    },
    timeColumn('when', common.when, ({ created_at }) => created_at, { sorts: byAge }),
  ]
}
