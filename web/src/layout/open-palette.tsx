import { Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { catalogue } from '../texts/catalogue.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'
import { latePart } from '../ui/late.tsx'

/** Opens the console's texts as well, because it names those pages. */
const { Part: Palette } = latePart(
  async () => {
    const [{ Palette: Loaded }] = await Promise.all([import('./palette.tsx'), catalogue.open('console')])
    return Loaded
  },
  { onGiveUp: ({ onClose }) => onClose() },
)

const openPalette = 'gatehouse:open-palette'

const isDialogOpen = () => document.querySelector('[role=dialog]') !== null

/**
 * Rendered once around all pages: opens with Ctrl+K or its counterpart on a Mac, but not on top of a dialog, and with
 * its button.
 */
export function PaletteKeys() {
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  useEffect(() => {
    const open = () => {
      setTyped('')
      setOpen(true)
    }
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setTyped('')
      setOpen((before) => !before && !isDialogOpen())
    }
    document.addEventListener('keydown', press)
    document.addEventListener(openPalette, open)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener(openPalette, open)
    }
  }, [])
  if (!isOpen) return null
  const close = () => setOpen(false)
  return (
    <Suspense fallback={<EarlyKeys onType={setTyped} onClose={close} />}>
      <Palette typed={typed} onType={setTyped} onClose={close} />
    </Suspense>
  )
}

interface EarlyKeysProps {
  onType(change: (typed: string) => string): void
  onClose(): void
}

/** Takes what is typed while the palette is still being fetched, so that it opens with all of it. */
function EarlyKeys({ onType, onClose }: EarlyKeysProps) {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isForSearch(event)) return
      event.preventDefault()
      event.stopPropagation()
      if (event.key === 'Escape') onClose()
      else onType((typed) => typedAfter(typed, event.key))
    }
    document.addEventListener('keydown', press, { capture: true })
    return () => document.removeEventListener('keydown', press, { capture: true })
  })
  return null
}

const isLetter = (key: string) => [...key].length === 1

const isForSearch = ({ key, metaKey, ctrlKey, altKey }: KeyboardEvent) =>
  !(metaKey || ctrlKey || altKey) && (isLetter(key) || ['Backspace', 'Enter', 'Escape', 'Tab'].includes(key))

function typedAfter(typed: string, key: string): string {
  if (key === 'Backspace') return [...typed].slice(0, -1).join('')
  return isLetter(key) ? typed + key : typed
}

/** The label of the command key. */
export const commandKeys = () => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? 'apple' : 'others')

/** Shown in a phone's bar, so that everything is two presses away there too. */
export function PaletteInBar() {
  const { palette } = useTexts()
  return (
    <button
      type="button"
      aria-label={palette.open}
      onClick={() => document.dispatchEvent(new Event(openPalette))}
      className="touch grid size-10 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
    >
      <Icon name="search" />
    </button>
  )
}

export function PaletteButton({ onOpen }: { onOpen(): void }) {
  const { palette } = useTexts()
  const press = () => {
    onOpen()
    document.dispatchEvent(new Event(openPalette))
  }
  return (
    <button
      type="button"
      onClick={press}
      aria-keyshortcuts="Meta+K Control+K"
      className="mx-3 mb-2 flex h-9 shrink-0 items-center gap-3 rounded-md border border-line px-3 text-small text-ink-soft hover:bg-sunken/70 hover:text-ink"
    >
      <Icon name="search" className="size-4" />
      <span className="grow text-left">{palette.open}</span>
      <span aria-hidden="true" className="text-micro max-lg:hidden">
        {palette.keys[commandKeys()]}
      </span>
    </button>
  )
}
