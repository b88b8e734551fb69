import { useSyncExternalStore } from 'react'

function whether(query: string) {
  const media = matchMedia(query)
  const subscribe = (listener: () => void) => {
    media.addEventListener('change', listener)
    return () => media.removeEventListener('change', listener)
  }
  return () => useSyncExternalStore(subscribe, () => media.matches)
}

/** Room for a table: wider than a phone. */
export const useIsWide = whether('(min-width: 48rem)')

/** Room for a list and what it has opened. */
export const useHasTwoPanes = whether('(min-width: 76rem)')
