import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** A year; the server reads it too, so that the first paint has these colours. */
const lifetimeSeconds = 31_536_000
const listeners = new Set<() => void>()

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function chosen(): Theme {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** The colours of this browser: its own choice, or those of its system. */
export const useTheme = () => useSyncExternalStore(subscribe, chosen)

export function chooseTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
  // biome-ignore lint/suspicious/noDocumentCookie: the asynchronous cookie store is missing in some browsers.
  document.cookie = `theme=${theme}; path=/; max-age=${theme === 'system' ? 0 : lifetimeSeconds}; samesite=lax`
  for (const listener of listeners) listener()
}
