import { createContext, type ReactNode, use } from 'react'

/** True below the `main` of the shell. */
export const InsideMain = createContext(false)

/** A message in the middle, instead of a page or of everything. */
export function PageBox({ children }: { readonly children: ReactNode }) {
  const Box = use(InsideMain) ? 'div' : 'main'
  return <Box className="grid min-h-[70dvh] place-items-center">{children}</Box>
}
