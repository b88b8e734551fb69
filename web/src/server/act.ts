import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { say } from '../toasts.ts'
import { noteWrite } from './api.ts'

export interface ActOptions<Sent, Got> {
  act(sent: Sent): Promise<Got>
  /** The message once it is done. */
  readonly done?: string | ((got: Got, sent: Sent) => string) | undefined
  /** Query keys of what it changes; they are refetched before it counts as done. */
  readonly refreshes?: readonly QueryKey[]
  onDone?(got: Got, sent: Sent): unknown
  /** Runs as well if it fails. */
  onFailed?(error: Error, sent: Sent): unknown
}

/**
 * An action of the user: it runs, the page refetches, and a message says that it is done. A second press
 * meanwhile is ignored, even one that comes before the button shows the first.
 */
export function useAct<Got, Sent = void>({ act, done, refreshes = [], ...then }: ActOptions<Sent, Got>) {
  const queryClient = useQueryClient()
  const isRunning = useRef(false)
  const running = useMutation({
    mutationFn: act,
    onSuccess: async (got, sent) => {
      noteWrite()
      await Promise.all(refreshes.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
      if (done) say(typeof done === 'string' ? done : done(got, sent))
      await then.onDone?.(got, sent)
    },
    onError: (error, sent) => then.onFailed?.(error, sent),
    onSettled: () => {
      isRunning.current = false
    },
  })
  const mutate: typeof running.mutate = (...given) => {
    if (isRunning.current) return
    isRunning.current = true
    running.mutate(...given)
  }
  return { ...running, mutate }
}
