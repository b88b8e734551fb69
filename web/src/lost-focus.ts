/** The element and its ancestors, from the inside out, without the body. */
function partsAround(element: Element): readonly Element[] {
  const parent = element.parentElement
  return parent === null || parent === document.body ? [element] : [element, ...partsAround(parent)]
}

/** Waits two frames: in the first, a dialog gives the focus back to the element that opened it. */
const afterTwoFrames = (then: () => void) => requestAnimationFrame(() => requestAnimationFrame(then))

/**
 * The focused element can go away: a removed row, or the button of a dialog opened from it. The browser then forgets
 * the place, so the nearest heading that is left takes the focus.
 */
export function catchLostFocus(): void {
  let last: Element | undefined
  let onPage: readonly Element[] = []
  let inDialog: readonly Element[] = []

  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    last = target
    const isInDialog = target.closest('[role="dialog"]') !== null
    inDialog = isInDialog ? partsAround(target) : []
    if (!isInDialog) onPage = partsAround(target)
  })

  const isLost = () => document.activeElement === document.body
  new MutationObserver(() => {
    if (last === undefined || last.isConnected || !isLost()) return
    last = undefined
    afterTwoFrames(() => {
      if (isLost()) focusHeading([...inDialog, ...onPage])
    })
  }).observe(document.body, { childList: true, subtree: true })
}

/** Focuses the first heading in the innermost part that has one. */
export function focusHeading(parts: readonly Element[]): void {
  const headings = parts.filter((part) => part.isConnected).map((part) => part.querySelector<HTMLElement>('h1, h2, h3'))
  const heading = headings.find((one) => one !== null) ?? document.querySelector('h1')
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
