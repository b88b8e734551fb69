import { useState } from 'react'
import { useLocation, useNavigate } from '../../routing/router.tsx'

/** True if a question is open: by its button, or because the address asks for it by name. */
export function useOpen(name: string | undefined) {
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const [isPressed, setPressed] = useState(false)
  const isAsked = name !== undefined && new URLSearchParams(search).get('open') === name
  const setOpen = (opens: boolean) => {
    setPressed(opens)
    // An action can end after the user has left for another page or question, which then stays.
    const current = new URLSearchParams(location.search)
    if (opens || name === undefined || location.pathname !== pathname || current.get('open') !== name) return
    current.delete('open')
    navigate(current.size > 0 ? `${pathname}?${current}` : pathname, { replace: true })
  }
  return [isPressed || isAsked, setOpen] as const
}
