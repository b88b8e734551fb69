import type { ReactNode } from 'react'
import { usePlace } from '../layout/arrival.ts'

interface Props {
  /** What an address says after its `#` to lead here. */
  readonly id: string
  readonly children: ReactNode
}

/** A part of a page to which a link can lead. */
export function Place({ id, children }: Props) {
  return (
    <div id={id} ref={usePlace(id)} className="scroll-mt-16">
      {children}
    </div>
  )
}
