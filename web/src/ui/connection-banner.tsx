import { onlineManager, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { get } from '../api.ts'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from './icon.tsx'

const knockEveryMs = 2000

/** Shows a lost connection, knocks until the server answers, then brings every view up to date. */
export function ConnectionBanner() {
  const { connection } = useTexts()
  const queryClient = useQueryClient()
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )

  useEffect(() => {
    if (isOnline) return
    const timer = setInterval(() => {
      get('/api/health').then(
        () => queryClient.invalidateQueries(),
        () => onlineManager.setOnline(false),
      )
    }, knockEveryMs)
    return () => clearInterval(timer)
  }, [isOnline, queryClient])

  return (
    <div role="alert" className="sticky top-0 z-50">
      {!isOnline && (
        <p className="appear flex items-center justify-center gap-2 bg-warning-soft px-4 py-2 text-center text-[0.867rem] text-warning">
          <Icon name="warning" className="size-4" /> {connection.lost}
        </p>
      )}
    </div>
  )
}
