import { type ReactNode, useEffect, useRef } from 'react'
import { focusHeading } from '../lost-focus.ts'
import { useLocation } from '../routing/router.tsx'

interface Props {
  /** The part of an address after `#` that leads here. */
  readonly id: string
  /** False while a response can still move what is above. */
  readonly isSettled?: boolean
  readonly children: ReactNode
}

/** A part of a page. If the address names it, it is shown and its heading takes the focus. */
export function Place({ id, isSettled = true, children }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const location = useLocation()
  const isNamed = location.hash === `#${id}`

  // biome-ignore lint/correctness/useExhaustiveDependencies: a link to it can be followed again
  useEffect(() => {
    if (!isNamed || !place.current) return
    focusHeading([place.current])
    place.current.scrollIntoView()
  }, [isNamed, location])
  useEffect(() => {
    if (isSettled && isNamed && place.current?.contains(document.activeElement)) place.current.scrollIntoView()
  }, [isSettled, isNamed])
  return (
    <div id={id} ref={place}>
      {children}
    </div>
  )
}
