import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly key: string
  readonly title: string
  readonly align?: 'end'
  /** Left out on a phone, where the row must stay readable. */
  readonly isExtra?: boolean
  cell(row: Row): ReactNode
}

interface Props<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  rowKey(row: Row): string
}

const placement = (column: { readonly align?: 'end'; readonly isExtra?: boolean }) =>
  `${column.align === 'end' ? 'text-right' : 'text-left'} ${column.isExtra ? 'max-md:hidden' : ''}`

export function Table<Row>({ label, columns, rows, rowKey }: Props<Row>) {
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface shadow-card">
      <table aria-label={label} className="w-full border-collapse text-[0.933rem]">
        <thead>
          <tr className="border-line border-b bg-sunken/50 text-[0.8rem] text-ink-soft">
            {columns.map((column) => (
              <th key={column.key} scope="col" className={`px-4 py-2.5 font-medium ${placement(column)}`}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={rowKey(row)} className="transition-colors hover:bg-sunken/40">
              {columns.map((column) => (
                <td key={column.key} className={`px-4 py-3 align-top ${placement(column)}`}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
