import { useQuery } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useRef } from 'react'
import { focusHeading } from '../../lost-focus.ts'
import { clientConfigQuery } from '../../server/session.ts'
import { EmptyState } from '../lists/empty-state.tsx'

/** True below the `main` of the shell. */
export const InsideMain = createContext(false)

interface Props {
  readonly title: string
  readonly text: string
  readonly action: ReactNode
}

/** A warning in the middle, instead of a page or of everything. It has the focus and the tab's title, as a page has. */
export function PageMessage(words: Props) {
  const Box = use(InsideMain) ? 'div' : 'main'
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current) focusHeading([box.current])
  }, [])
  useTitleMeanwhile(words.title)
  return (
    <Box ref={box} className="grid min-h-[70dvh] place-items-center">
      <EmptyState icon="warning" heading="h1" {...words} />
    </Box>
  )
}

/** The installation's name can be what is missing. A page around the message has set a title of its own. */
function useTitleMeanwhile(title: string) {
  const { data } = useQuery({ ...clientConfigQuery, enabled: false })
  const name = data?.app_name
  useEffect(() => {
    const before = document.title
    document.title = name === undefined ? title : `${title} · ${name}`
    const meanwhile = document.title
    return () => {
      if (document.title === meanwhile) document.title = before
    }
  }, [title, name])
}
