import { useEffect, useRef } from 'react'

/** Shows the first row of another page of a list, which Next and Previous are below. Back keeps its own place. */
export function useTopOfNextPage(page: number, isBack: boolean, isPlaceholder: boolean) {
  const list = useRef<HTMLDivElement>(null)
  const shown = useRef(page)
  useEffect(() => {
    if (isPlaceholder || shown.current === page) return
    shown.current = page
    const top = list.current?.getBoundingClientRect().top ?? 0
    if (!isBack && top < 0) list.current?.scrollIntoView({ block: 'start' })
  }, [page, isBack, isPlaceholder])
  return list
}
