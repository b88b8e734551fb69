interface Row {
  readonly to: string
  /** One page can have several rows that lead there. */
  readonly place: number
}

let opened: Row | undefined
let isComingBack = false

/** Called when the link of a row is followed. */
export function noteOpened(link: HTMLAnchorElement, to: string): void {
  opened = { to, place: rowsTo(to).indexOf(link) }
  isComingBack = false
}

/** Called when the link back to the list is followed. */
export function comeBack(): void {
  isComingBack = true
}

/**
 * Called when a list shows its rows. After "back" it scrolls to the row that was opened, and focuses it. A list on the
 * page of that row does not have it.
 */
export function returnToRow(isBack: boolean): void {
  const row = opened && rowsTo(opened.to)[opened.place]
  if (!row) return
  if (isBack || isComingBack) row.focus()
  opened = undefined
  isComingBack = false
}

const rowsTo = (to: string) =>
  [...document.querySelectorAll<HTMLAnchorElement>('a[data-row]')].filter((link) => link.getAttribute('href') === to)
