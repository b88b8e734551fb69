import { useState } from 'react'
import { useSearchParams } from '../../routing/router.tsx'

/** Whether a question is open: by its button, or because the address asks for it by name. */
export function useOpen(name: string | undefined) {
  const [search, setSearch] = useSearchParams()
  const [isPressed, setPressed] = useState(false)
  const isAsked = name !== undefined && search.get('open') === name
  const setOpen = (opens: boolean) => {
    setPressed(opens)
    if (opens || !isAsked) return
    setSearch(
      (before) => {
        before.delete('open')
        return before
      },
      { replace: true },
    )
  }
  return [isPressed || isAsked, setOpen] as const
}
