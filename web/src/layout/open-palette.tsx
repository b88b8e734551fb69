import { lazy, Suspense, useEffect, useState } from 'react'
import { catalogue } from '../texts/catalogue.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from '../ui/icon.tsx'

/** It names the console's pages too. */
const Palette = lazy(async () => {
  const [{ Palette: Loaded }] = await Promise.all([import('./palette.tsx'), catalogue.open('console')])
  return { default: Loaded }
})

const openPalette = 'gatehouse:open-palette'

const isDialogOpen = () => document.querySelector('[role=dialog]') !== null

/** Once around all pages: opens with ⌘K or Ctrl+K, but not on top of a dialog, and with its button. */
export function PaletteKeys() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = () => setOpen(true)
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
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
  return (
    <Suspense>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  )
}

export function PaletteButton({ onOpen }: { onOpen?(): void }) {
  const { palette } = useTexts()
  const press = () => {
    onOpen?.()
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
        {palette.keys}
      </span>
    </button>
  )
}
