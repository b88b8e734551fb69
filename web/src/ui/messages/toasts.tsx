import { Suspense, useEffect, useSyncExternalStore } from 'react'
import { useLocation } from '../../routing/router.tsx'
import { toasts, turnPage } from '../../toasts.ts'
import { latePart } from '../late.tsx'

const { Part: ToastRegion } = latePart(async () => (await import('./toast-region.tsx')).ToastRegion, {
  onGiveUp: () => toasts.clear(),
  isUnasked: true,
})

/** The place of toasts; its script loads with the first of them. */
export function Toasts() {
  const { pathname } = useLocation()
  const hasToasts = useSyncExternalStore(
    (listener) => toasts.subscribe(listener),
    () => toasts.visibleToasts.length > 0,
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page is what turns them
  useEffect(turnPage, [pathname])
  return <Suspense>{hasToasts && <ToastRegion />}</Suspense>
}
