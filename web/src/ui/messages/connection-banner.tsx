import { onlineManager, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { get } from '../../server/api.ts'
import { slowness } from '../../server/slowness.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../icon.tsx'

const probeIntervalMs = 2000

/** Shows a slow or a lost connection. If it is lost, retries until the server responds, then refreshes every view. */
export function ConnectionBanner() {
  const { connection } = useTexts()
  const queryClient = useQueryClient()
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )
  const isSlow = useSyncExternalStore(slowness.subscribe, slowness.isSlow)
  const words = isOnline ? isSlow && connection.slow : connection.lost

  useEffect(() => {
    if (isOnline) return
    const timer = setInterval(() => {
      get('/api/health').then(
        () => queryClient.invalidateQueries(),
        () => onlineManager.setOnline(false),
      )
    }, probeIntervalMs)
    return () => clearInterval(timer)
  }, [isOnline, queryClient])

  return (
    <div role="alert" className="pointer-events-none fixed inset-x-0 top-0 z-50 flex justify-center p-3 max-lg:pr-16">
      {words && (
        <p className="appear pointer-events-auto flex max-w-2xl items-start gap-2.5 rounded-lg border border-warning/30 bg-warning-soft px-4 py-2.5 text-small text-warning shadow-float">
          <Icon name="warning" className="mt-0.5 size-4" /> {words}
        </p>
      )}
    </div>
  )
}
