import { useState } from 'react'

interface WithId {
  readonly id: string
}

interface Opened<Row> {
  readonly row: Row
  /** Ids of its neighbours in the list; undefined at the ends of the page. */
  readonly previous: string | undefined
  readonly next: string | undefined
}

/** The open row. It stays open if it leaves the list meanwhile, because something may have been typed. */
export function useOpened<Row extends WithId>(items: readonly Row[], id: string | undefined) {
  const [last, setLast] = useState<Opened<Row>>()
  const found = openedIn(items, id)
  if (found && !isSame(found, last)) setLast(found)
  const opened = found ?? (last?.row.id === id ? last : undefined)
  return {
    opened,
    /** Keeps what was saved, for a row that has left the list. */
    update: (row: Row) => setLast((before) => before && { ...before, row }),
  }
}

function openedIn<Row extends WithId>(items: readonly Row[], id: string | undefined): Opened<Row> | undefined {
  const at = items.findIndex((item) => item.id === id)
  const row = items[at]
  return row && { row, previous: items[at - 1]?.id, next: items[at + 1]?.id }
}

const isSame = <Row>(found: Opened<Row>, last: Opened<Row> | undefined) =>
  found.row === last?.row && found.previous === last.previous && found.next === last.next
