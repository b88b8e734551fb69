import type { ReactNode } from 'react'
import { Time } from '../facts/time.tsx'
import type { Column } from './table.tsx'

/** The orders of a column that says when a row was made. */
export const byAge = [
  { order: 'newest', direction: 'descending' },
  { order: 'oldest', direction: 'ascending' },
] as const satisfies Column<unknown>['sorts']

interface TimeColumn extends Pick<Column<unknown>, 'sorts' | 'leaves'> {
  /** Stands in place of the time if it never happened. */
  readonly never?: ReactNode
}

/** The time at which something happened to a row; one that only says when needs no title on a phone. */
export const timeColumn = <Row,>(
  key: string,
  title: string,
  at: (row: Row) => number | null,
  { never, ...more }: TimeColumn = {},
): Column<Row> => ({
  ...{ key, title, width: 'w-36', isPlain: key === 'when', ...more },
  cell: (row) => {
    const moment = at(row)
    return moment === null ? never : <Time at={moment} />
  },
})

/** The buttons of a row. */
export const actColumn = <Row,>(title: string, width: string, cell: (row: Row) => ReactNode): Column<Row> => ({
  key: 'act',
  title,
  isTitleHidden: true,
  width,
  align: 'end',
  cell,
})
