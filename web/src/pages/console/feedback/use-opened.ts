import { useState } from 'react'
import type { FeedbackRow } from '../rows.ts'

interface Opened {
  readonly row: FeedbackRow
  /** Ids of its neighbours in the list; undefined at the ends of the page. */
  readonly previous: string | undefined
  readonly next: string | undefined
}

/** The open message. It stays open if it leaves the list meanwhile, because a reply may have been started. */
export function useOpened(items: readonly FeedbackRow[], id: string | undefined) {
  const [last, setLast] = useState<Opened>()
  const found = openedIn(items, id)
  if (found && !isSame(found, last)) setLast(found)
  const opened = found ?? (last?.row.id === id ? last : undefined)
  return {
    opened,
    /** What was saved of a message that is no longer in the list. */
    update: (row: FeedbackRow) => setLast((before) => before && { ...before, row }),
  }
}

function openedIn(items: readonly FeedbackRow[], id: string | undefined): Opened | undefined {
  const at = items.findIndex((item) => item.id === id)
  const row = items[at]
  return row && { row, previous: items[at - 1]?.id, next: items[at + 1]?.id }
}

const isSame = (found: Opened, last: Opened | undefined) =>
  found.row === last?.row && found.previous === last.previous && found.next === last.next
