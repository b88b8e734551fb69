import { useEffect, useRef } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** A new page begins at its top, and the focus goes where its content begins; parts of one page keep both. */
export function useArrival(contentId: string) {
  const { pathname } = useLocation()
  const isBack = useNavigationType() === 'POP'
  const page = pathname.split('/')[1]
  const before = useRef(page)

  useEffect(() => {
    if (before.current === page) return
    before.current = page
    document.getElementById(contentId)?.focus({ preventScroll: true })
    if (!isBack) window.scrollTo(0, 0)
  }, [page, isBack, contentId])
}
