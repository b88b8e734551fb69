import { Fragment, type ReactNode } from 'react'
import type { Order } from '../../routing/filters.ts'
import { useTexts } from '../../texts/texts.tsx'
import { useIsWide } from '../../wide.ts'
import { Icon } from '../icon.tsx'

interface Sort {
  readonly order: Order
  readonly direction: 'ascending' | 'descending'
}

/** A column leaves when its list is narrower than this; the first three are not shown on a phone either. */
const leaving = {
  1: '@max-[58rem]:hidden',
  2: '@max-[48rem]:hidden',
  3: '@max-[38rem]:hidden',
  4: '@max-[29rem]:hidden',
} as const

export interface Column<Row> {
  readonly key: string
  readonly title: string
  /** A class such as `w-32`; the columns without one share the rest. */
  readonly width?: string
  readonly align?: 'end'
  /** The cells need no title, so only screen readers get it. */
  readonly isTitleHidden?: boolean
  /** The cells need no title on a phone, and take the whole line. */
  readonly isSentence?: boolean
  /** The cells need no title on a phone. */
  readonly isPlain?: boolean
  /** Its place among the columns that leave if there is no room. */
  readonly leaves?: keyof typeof leaving
  /** The orders that its heading gives, the usual one first. */
  readonly sorts?: readonly Sort[]
  cell(row: Row): ReactNode
}

export interface Sorting {
  readonly value: Order
  onChange(order: Order): void
}

interface Props<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  rowKey(row: Row): string
  /** Stands above the first row of a group. */
  heading?(row: Row): string
  /** Stands at the start of each row, to select it. */
  marker?(row: Row): ReactNode
  /** Selects all rows. */
  readonly markAll?: ReactNode
  readonly sorting?: Sorting | undefined
}

/** The same rows as a table, or as two lines each on a phone. */
export function Table<Row>(props: Props<Row>) {
  return useIsWide() ? <Wide {...props} /> : <Narrow {...props} />
}

const groupHeading = 'bg-sunken/50 px-4 py-2 font-medium text-small'
const frame = 'rounded-lg border border-line bg-surface shadow-card'

const leavingOf = <Row,>({ leaves }: Column<Row>) => (leaves ? leaving[leaves] : '')
const placeOf = <Row,>({ align }: Column<Row>) => (align === 'end' ? 'text-right' : 'text-left')
// A button is higher than a line of text: with less space around it, both are on one line.
const spaceOf = <Row,>({ isTitleHidden }: Column<Row>) => (isTitleHidden ? 'py-2' : 'py-3')

function Wide<Row>({ label, columns, rows, rowKey, marker, markAll, heading, sorting }: Props<Row>) {
  return (
    <div className={`@container overflow-hidden ${frame}`}>
      <table aria-label={label} className="w-full table-fixed border-collapse text-compact">
        <thead>
          <tr className="border-line border-b bg-sunken/50 text-tiny text-ink-soft">
            {marker && (
              <th scope="col" className="w-10 pl-4 text-left">
                {markAll}
              </th>
            )}
            {columns.map((column) => (
              <Heading key={column.key} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {withHeadings(rows, heading).map(({ row, title }) => (
            <Fragment key={rowKey(row)}>
              {title && (
                <tr>
                  <th
                    scope="rowgroup"
                    colSpan={columns.filter(({ leaves }) => !leaves).length + (marker ? 1 : 0)}
                    className={`${groupHeading} text-left`}
                  >
                    {title}
                  </th>
                  {columns.map(
                    (column) =>
                      column.leaves && (
                        <td key={column.key} aria-hidden="true" className={`bg-sunken/50 ${leavingOf(column)}`} />
                      ),
                  )}
                </tr>
              )}
              <tr className="transition-colors hover:bg-sunken/40">
                {marker && <td className="py-3.5 pl-4 align-top">{marker(row)}</td>}
                {columns.map((column) => (
                  <td
                    key={column.key}
                    className={`wrap-anywhere px-4 align-top ${spaceOf(column)} ${placeOf(column)} ${leavingOf(column)}`}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Heading<Row>({ column, sorting }: { readonly column: Column<Row>; readonly sorting: Sorting | undefined }) {
  const { title, width = '', sorts = [], isTitleHidden } = column
  const at = sorts.findIndex(({ order }) => order === sorting?.value)
  const next = sorts[(at + 1) % sorts.length]
  const direction = sorts[at]?.direction
  const words = isTitleHidden ? <span className="sr-only">{title}</span> : title
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={`px-4 py-2.5 font-medium ${width} ${placeOf(column)} ${leavingOf(column)}`}
    >
      {sorting && next ? (
        <button
          type="button"
          onClick={() => sorting.onChange(next.order)}
          className="group -mx-1 inline-flex items-center gap-1 rounded-sm px-1 hover:text-ink"
        >
          {words}
          <Icon
            name={direction === 'ascending' ? 'arrow-up' : 'arrow-down'}
            className={`size-3.5 ${direction ? '' : 'opacity-0 group-hover:opacity-60 group-focus-visible:opacity-60'}`}
          />
        </button>
      ) : (
        words
      )}
    </th>
  )
}

function withHeadings<Row>(rows: readonly Row[], heading: Props<Row>['heading']) {
  const titles = rows.map((row) => heading?.(row))
  return rows.map((row, at) => ({ row, title: titles[at] === titles[at - 1] ? undefined : titles[at] }))
}

function Narrow<Row>({ label, columns, rows, rowKey, marker, markAll, heading }: Props<Row>) {
  const { lists } = useTexts()
  const lead = columns.find(({ isSentence }) => isSentence) ?? columns[0]
  const acts = columns.filter(({ isTitleHidden }) => isTitleHidden)
  const facts = columns.filter((one) => one !== lead && !acts.includes(one) && (one.leaves ?? 4) > 3)
  return (
    <div className={frame}>
      {markAll && (
        <div className="flex items-center gap-3 border-line border-b px-4 py-1 text-small text-ink-soft">
          {markAll} <span aria-hidden="true">{lists.chooseAll}</span>
        </div>
      )}
      <ul aria-label={label} className="divide-y divide-line">
        {withHeadings(rows, heading).map(({ row, title }) => (
          <li key={rowKey(row)} className="wrap-anywhere">
            {title && <h2 className={`border-line border-b ${groupHeading}`}>{title}</h2>}
            <div className="flex items-start gap-3 px-4 py-2.5">
              {marker?.(row)}
              <div className="min-w-0 flex-1">
                {lead?.cell(row)}
                <div className="mt-1 flex flex-wrap items-end justify-end gap-x-4 gap-y-2">
                  <dl className="flex min-w-0 flex-1 basis-36 flex-wrap items-center gap-x-4 gap-y-0.5 text-small text-ink-soft empty:hidden">
                    {facts.map((column) => (
                      <Fact key={column.key} column={column} row={row} />
                    ))}
                  </dl>
                  {acts.map((column) => (
                    <Fragment key={column.key}>{column.cell(row)}</Fragment>
                  ))}
                </div>
              </div>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Fact<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const cell = column.cell(row)
  if (cell === null || cell === undefined || cell === false || cell === '') return null
  return (
    <div className="flex min-w-0 items-baseline gap-1.5">
      <dt className={column.isPlain ? 'sr-only' : 'shrink-0'}>{column.title}</dt>
      <dd className="min-w-0">{cell}</dd>
    </div>
  )
}
