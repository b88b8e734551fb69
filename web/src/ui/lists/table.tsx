import { Fragment, type ReactNode } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { useIsWide } from '../../wide.ts'

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
  cell(row: Row): ReactNode
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
}

/** The same rows as a table, or as cards on a phone; no text is too long for either. */
export function Table<Row>(props: Props<Row>) {
  return useIsWide() ? <Wide {...props} /> : <Narrow {...props} />
}

const frame = 'rounded-lg border border-line bg-surface shadow-card'

function Wide<Row>({ label, columns, rows, rowKey, marker, heading }: Props<Row>) {
  const { lists } = useTexts()
  const placeOf = ({ align }: Column<Row>) => (align === 'end' ? 'text-right' : 'text-left')
  // A button is higher than a line of text: with less space around it, both are on one line.
  const spaceOf = ({ isTitleHidden }: Column<Row>) => (isTitleHidden ? 'py-2' : 'py-3')
  return (
    <div className={`overflow-hidden ${frame}`}>
      <table aria-label={label} className="w-full table-fixed border-collapse text-compact">
        <thead>
          <tr className="border-line border-b bg-sunken/50 text-tiny text-ink-soft">
            {marker && (
              <th scope="col" className="w-10">
                <span className="sr-only">{lists.marked}</span>
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={`px-4 py-2.5 font-medium ${column.width ?? ''} ${placeOf(column)}`}
              >
                {column.isTitleHidden ? <span className="sr-only">{column.title}</span> : column.title}
              </th>
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
                    colSpan={columns.length + (marker ? 1 : 0)}
                    className="bg-sunken/50 px-4 py-2 text-left font-medium text-small"
                  >
                    {title}
                  </th>
                </tr>
              )}
              <tr className="transition-colors hover:bg-sunken/40">
                {marker && <td className="py-3.5 pl-4 align-top">{marker(row)}</td>}
                {columns.map((column) => (
                  <td key={column.key} className={`wrap-anywhere px-4 align-top ${spaceOf(column)} ${placeOf(column)}`}>
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

function withHeadings<Row>(rows: readonly Row[], heading: Props<Row>['heading']) {
  const titles = rows.map((row) => heading?.(row))
  return rows.map((row, at) => ({ row, title: titles[at] === titles[at - 1] ? undefined : titles[at] }))
}

function Narrow<Row>({ label, columns, rows, rowKey, marker, heading }: Props<Row>) {
  const [first, ...rest] = columns
  return (
    <ul aria-label={label} className={`divide-y divide-line ${frame}`}>
      {withHeadings(rows, heading).map(({ row, title }) => (
        <li key={rowKey(row)} className="wrap-anywhere flex flex-col gap-2 px-4 py-3.5">
          {title && (
            <h2 className="-mx-4 -mt-3.5 border-line border-b bg-sunken/50 px-4 py-2 font-medium text-small">
              {title}
            </h2>
          )}
          <div className="flex items-start gap-3">
            {marker && <span className="pt-0.5">{marker(row)}</span>}
            <div className="min-w-0">{first?.cell(row)}</div>
          </div>
          <dl className="flex flex-col gap-1.5 text-small">
            {rest.map((column) => (
              <Fact key={column.key} column={column} row={row} />
            ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}

function Fact<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const cell = column.cell(row)
  const isWhole = column.isTitleHidden || column.isSentence
  if (cell === null || cell === undefined || cell === false || cell === '') return null
  return (
    <div className={isWhole ? 'pt-1' : 'grid grid-cols-[7rem_minmax(0,1fr)] gap-x-3'}>
      <dt className={isWhole ? 'sr-only' : 'text-ink-soft'}>{column.title}</dt>
      <dd className="min-w-0">{cell}</dd>
    </div>
  )
}
