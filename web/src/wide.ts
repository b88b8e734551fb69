import { useSyncExternalStore } from 'react'

const wide = matchMedia('(min-width: 48rem)')

function subscribe(listener: () => void) {
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

/** Room for a table: wider than a phone. */
export const useIsWide = () => useSyncExternalStore(subscribe, () => wide.matches)
