import { createContext, type ReactNode, use } from 'react'
import { EmptyState } from '../lists/empty-state.tsx'

/** True below the `main` of the shell. */
export const InsideMain = createContext(false)

interface Props {
  readonly title: string
  readonly text: string
  readonly action: ReactNode
}

/** A warning in the middle, instead of a page or of everything. */
export function PageMessage(words: Props) {
  const Box = use(InsideMain) ? 'div' : 'main'
  return (
    <Box className="grid min-h-[70dvh] place-items-center">
      <EmptyState icon="warning" heading="h1" {...words} />
    </Box>
  )
}
