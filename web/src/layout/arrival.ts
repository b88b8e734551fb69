import { useLayoutEffect, useRef, useState } from 'react'
import { useLastAction } from '../routing/router.tsx'

let hasShownPage = false

/** The first page of a load keeps the browser's own focus; every later page was navigated to. */
export function noteShownPage(): void {
  hasShownPage = true
}

/** After a navigation, the heading of the new page takes the focus, and the page begins at its top. */
export function useArrival() {
  const heading = useRef<HTMLHeadingElement>(null)
  const isBack = useLastAction() === 'pop'
  const wasNavigatedTo = useRef(hasShownPage)

  // A layout effect: a place on the page or a dialog takes the focus after this.
  useLayoutEffect(() => {
    noteShownPage()
    if (!wasNavigatedTo.current) return
    wasNavigatedTo.current = false
    heading.current?.focus({ preventScroll: true })
    if (!isBack) window.scrollTo(0, 0)
  }, [isBack])
  return heading
}

/**
 * The class with which a page appears. The first page of a load appears at once, because a page that fades in counts as
 * painted late.
 */
export function useAppearance(): string {
  return useState(() => (hasShownPage ? 'appear' : ''))[0]
}
