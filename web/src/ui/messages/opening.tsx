import { useTexts } from '../../texts/texts.tsx'
import { Spinner } from './spinner.tsx'

/** Shown while a page's script is loading. */
export function Opening() {
  const { common } = useTexts()
  return (
    <div role="status" aria-label={common.loading} className="grid min-h-dvh place-items-center">
      <Spinner />
    </div>
  )
}
