import { useEffect, useRef } from 'react'

type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => unknown>>

/** Single-key shortcuts; they are ignored while the user types, and while more than so many dialogs are open. */
export function useShortcuts(shortcuts: Shortcuts, dialogs = 0): void {
  const current = useRef(shortcuts)
  useEffect(() => {
    current.current = shortcuts
  })
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = Object.hasOwn(current.current, event.key) ? current.current[event.key] : undefined
      if (!act || !isShortcut(event) || openDialogs() > dialogs) return
      event.preventDefault()
      act(event)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [dialogs])
}

const isShortcut = ({ defaultPrevented, metaKey, ctrlKey, altKey, target }: KeyboardEvent) =>
  !(defaultPrevented || metaKey || ctrlKey || altKey || isTyping(target))

const openDialogs = () => document.querySelectorAll('[role=dialog]').length

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.matches('textarea, select, input:not([type=radio], [type=checkbox])') || target.isContentEditable
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
