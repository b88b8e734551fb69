import type { ReactNode } from 'react'
import { Time } from '../facts/time.tsx'
import type { Column } from './table.tsx'

/** The time at which something happened to a row, or another content if it never did. */
export const timeColumn = <Row,>(
  key: string,
  title: string,
  at: (row: Row) => number | null,
  never?: ReactNode,
): Column<Row> => ({
  ...{ key, title, width: 'w-36' },
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
