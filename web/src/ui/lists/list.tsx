import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useEffect } from 'react'
import type { Order } from '../../routing/filters.ts'
import { useLastAction } from '../../routing/router.tsx'
import type { Read } from '../../server/all-pages.ts'
import { useTexts } from '../../texts/texts.tsx'
import { useIsWide } from '../../wide.ts'
import { Button } from '../controls/button.tsx'
import { Select } from '../controls/select.tsx'
import { Notice } from '../messages/notice.tsx'
import { type BulkAct, BulkBar } from './bulk-bar.tsx'
import { type Chip, Chips } from './chips.tsx'
import { ColumnChoice, canBeHidden } from './column-choice.tsx'
import { CsvExport } from './csv-export.tsx'
import { EmptyState } from './empty-state.tsx'
import { FilterBar, FoldedAway } from './filter-bar.tsx'
import { Loaded } from './loaded.tsx'
import { returnToRow } from './opened-row.ts'
import { Pager } from './pager.tsx'
import { Said } from './said.tsx'
import { Skeleton } from './skeleton.tsx'
import { type Column, Table } from './table.tsx'
import { useHiddenColumns } from './use-hidden-columns.ts'
import { type Selection, useSelection } from './use-selection.tsx'
import { useTopOfNextPage } from './use-top-of-next-page.ts'

export interface Listed<Row> {
  readonly items: readonly Row[]
  /** Absent if the list always comes whole. */
  readonly total?: number
  /** A search ended after this many rows. If there are more pages, the total does not say how many. */
  readonly searched?: number | undefined
}

/** The list's state in the address, and how to change it. */
interface View {
  readonly page: number
  readonly size: number
  readonly values: Readonly<Record<string, string | undefined>>
  setPage(page: number): void
  setSize(size: string): void
  setOrder(order: string): void
  /** Takes every filter away. */
  clear(): void
}

/** The rows a list shows, and the place of the others. */
export interface Shown<Row> {
  readonly query: UseQueryResult<Listed<Row>>
  /** Absent if the list always comes whole. */
  readonly view?: View
  readonly order?: { readonly value: Order; readonly known: readonly Order[] }
  /** All of its rows, for a file. */
  readonly read: Read<Row>
}

interface Props<Row> extends Shown<Row> {
  /** The key for its hidden columns, and the name of its file. */
  readonly name: string
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** The id of the row that the address asks to open, unless it is open. */
  readonly asked?: string | undefined
  rowKey(row: Row): string
  /** Stands above the first row of a group, such as a day. */
  heading?(row: Row): string
  /** Shown above the rows. */
  readonly notice?: ReactNode
  /** The message and action for an empty list. */
  readonly empty: ReactNode
  readonly filters?: ReactNode
  /** Filters that are folded away on a phone. */
  readonly moreFilters?: ReactNode
  readonly chips?: readonly Chip[]
  readonly bulk?: readonly BulkAct<Row>[]
  /** Acts on several rows at once that ask for input first. */
  moreActs?(selection: Selection<Row>): ReactNode
  /** The label of a row's checkbox. */
  rowName?(row: Row): string
}

const skeletonRows = 5

const activeIn = (view: View | undefined) => Object.keys(view?.values ?? {}).filter((name) => name !== 'search').length

/** A list: its filters, and its rows in each of their states: loading, failed, empty, page by page. */
export function List<Row extends object>(given: Props<Row>) {
  const { name, filters, moreFilters, chips = [], order, read, view, asked, notice, ...props } = given
  const { lists } = useTexts()
  const { hidden, show } = useHiddenColumns(name)
  const columns = props.columns.filter((column, index) => !(canBeHidden(column, index) && hidden.has(column.key)))
  // Rendered in slices, so that the page responds to input between them: a hundred rows at once would take
  // too long.
  const data = useDeferredValue(props.query.data)
  const isBack = useLastAction() === 'pop'
  const isShown = data !== undefined
  useEffect(() => {
    if (isShown) returnToRow(isBack)
  }, [isShown, isBack])
  const isEmpty = data !== undefined && (data.total ?? data.items.length) === 0
  const isWide = useIsWide()
  const top = useTopOfNextPage(view?.page ?? 1, isBack, props.query.isPlaceholderData)
  // Their place stays, so that the filters beside them do not move. On a phone they are below the filters.
  const unused = data === undefined ? 'invisible' : isEmpty ? 'invisible max-sm:hidden' : ''
  return (
    <div ref={top} className="flex scroll-mt-20 flex-col gap-4">
      {(filters || moreFilters || !isEmpty) && (
        <FilterBar>
          {filters}
          <FoldedAway active={activeIn(view)} isNeeded={moreFilters !== undefined || !isEmpty}>
            {moreFilters}
            {order && !isWide && (
              <div className={unused}>
                <Select<string>
                  label={lists.order}
                  value={order.value}
                  options={Object.fromEntries(order.known.map((one) => [one, lists.orders[one]]))}
                  onChange={(chosen) => view?.setOrder(chosen)}
                />
              </div>
            )}
            <div className={`${unused} flex items-start gap-2 sm:ml-auto sm:self-end`}>
              <ColumnChoice columns={props.columns} hidden={hidden} show={show} />
              <CsvExport name={name} read={read} />
            </div>
          </FoldedAway>
        </FilterBar>
      )}
      <Chips chips={chips} />
      <Said {...{ view, order: order?.value, data: props.query.data, isSettled: !props.query.isPlaceholderData }} />
      <Loaded query={{ ...props.query, data }} skeleton={<Skeleton rows={skeletonRows} />}>
        {(listed) => (
          <>
            {asked && !props.query.isPlaceholderData && <Notice look="info">{lists.askedIsMissing}</Notice>}
            {notice}
            <Rows {...props} {...{ name, columns, listed, read }} {...(view && { view })} {...(order && { order })} />
          </>
        )}
      </Loaded>
    </div>
  )
}

interface RowsProps<Row> extends Omit<Props<Row>, 'query' | 'filters' | 'moreFilters' | 'chips' | 'asked' | 'notice'> {
  readonly listed: Listed<Row>
}

function Rows<Row extends object>({ label, listed, columns, rowKey, rowName, empty, view, ...more }: RowsProps<Row>) {
  const { bulk, moreActs, heading, name, order, read } = more
  const { items, total, searched } = listed
  const place = JSON.stringify([view?.page, view?.size, view?.values, order?.value])
  const selection = useSelection(items, place, rowKey, rowName)
  if (view && items.length === 0 && total)
    return <PastTheEnd onLeave={() => view.setPage(Math.ceil(total / view.size))} />
  return (
    <>
      {items.length === 0 ? (
        <Nothing view={view} empty={empty} />
      ) : (
        <Table
          label={label}
          rows={items}
          rowKey={rowKey}
          columns={columns}
          {...(heading && { heading })}
          sorting={order && view && { value: order.value, onChange: view.setOrder }}
          {...(bulk && { marker: selection.marker, markAll: selection.markAll })}
        />
      )}
      {bulk && items.length > 0 && (
        <BulkBar
          selection={selection}
          acts={bulk}
          total={total ?? items.length}
          {...{ name, read, ...(moreActs && { moreActs }) }}
        />
      )}
      {view && total !== undefined && (
        <Pager
          page={view.page}
          pageSize={view.size}
          total={total}
          isTotalOpen={searched !== undefined}
          onChange={view.setPage}
          onSize={view.setSize}
        />
      )}
    </>
  )
}

/** What a list without rows says, and the way back if its filters leave none. */
function Nothing({ view, empty }: { readonly view: View | undefined; readonly empty: ReactNode }) {
  const { lists } = useTexts()
  if (!view || Object.keys(view.values).length === 0) return empty
  return (
    <div className="flex flex-col items-center pb-10 *:first:pb-4">
      {empty}
      <Button onPress={view.clear}>{lists.clearFilters}</Button>
    </div>
  )
}

/** The rows of the last page can be deleted, or no longer match the filters. */
function PastTheEnd({ onLeave }: { onLeave(): void }) {
  const { lists } = useTexts()
  return (
    <EmptyState
      icon="inbox"
      title={lists.pageEmpty}
      text={lists.pageEmptyText}
      action={<Button onPress={onLeave}>{lists.lastPage}</Button>}
    />
  )
}
