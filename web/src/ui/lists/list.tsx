import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loaded } from './loaded.tsx'
import { Pager } from './pager.tsx'
import { Skeleton } from './skeleton.tsx'
import { type Column, Table } from './table.tsx'

interface Listed<Row> {
  readonly items: readonly Row[]
  readonly total: number
}

interface Props<Row> {
  readonly label: string
  readonly query: UseQueryResult<Listed<Row>>
  readonly columns: readonly Column<Row>[]
  rowKey(row: Row): string
  /** What to say, and to do, if there is nothing. */
  readonly empty: ReactNode
  readonly page: number
  readonly pageSize: number
  onPage(page: number): void
}

const skeletonRows = 5

/** A list of the console in each of its states: loading, failed, empty, and page by page. */
export function List<Row>({ label, query, columns, rowKey, empty, page, pageSize, onPage }: Props<Row>) {
  return (
    <Loaded query={query} skeleton={<Skeleton rows={skeletonRows} />}>
      {({ items, total }) => (
        <>
          {items.length === 0 ? (
            empty
          ) : (
            <Table label={label} rows={items} rowKey={rowKey} columns={columns} />
          )}
          <Pager page={page} pageSize={pageSize} total={total} onChange={onPage} />
        </>
      )}
    </Loaded>
  )
}
