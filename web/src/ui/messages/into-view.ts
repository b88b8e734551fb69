/** A `ref` for what is shown only once: it comes into view, wherever the page was scrolled to. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}
