import { useEffect, useRef } from 'react'

type Shortcuts = Readonly<Record<string, () => void>>

/** Single-key shortcuts; they are ignored while the user types. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts)
  useEffect(() => {
    current.current = shortcuts
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target))
        return
      const act = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.matches('textarea, select, input:not([type=radio], [type=checkbox])') || target.isContentEditable
  )
}

/** Moves the focus along the rows of the list. */
export function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row.matches(':focus'))
  const next = at === -1 && step === -1 ? rows.length - 1 : at + step
  rows[Math.min(Math.max(next, 0), rows.length - 1)]?.focus()
}

export function focusSearch(): void {
  document.querySelector<HTMLElement>('main input[type=search]')?.focus()
}
