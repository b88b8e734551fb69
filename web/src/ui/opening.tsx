import { Logo } from './logo.tsx'

/** While a page's script is on its way. */
export function Opening() {
  return (
    <div className="grid min-h-dvh place-items-center">
      <Logo className="size-10 animate-pulse" />
    </div>
  )
}
