/** A `ref` for an element that is shown only once: it scrolls into view. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
