import { useTexts } from '../../texts/texts.tsx'
import { Logo } from '../logo.tsx'

/** While a page's script is on its way. */
export function Opening() {
  const { common } = useTexts()
  return (
    <div role="status" aria-label={common.loading} className="grid min-h-dvh place-items-center">
      <Logo className="size-10 animate-pulse" />
    </div>
  )
}
