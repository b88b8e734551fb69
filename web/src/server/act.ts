import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { say } from '../toasts.ts'

interface Options<Sent, Got> {
  act(sent: Sent): Promise<Got>
  /** What is said when it is done. */
  readonly done?: string | ((got: Got, sent: Sent) => string)
  /** Keys of what it changes: asked for again before it counts as done. */
  readonly refreshes?: readonly QueryKey[]
  onDone?(got: Got, sent: Sent): unknown
  /** Only if no place on the page can show the failure. */
  onFailed?(error: Error): unknown
}

/** Something that a person does on a page: it runs, the page catches up, and it is said to be done. */
export function useAct<Got, Sent = void>({ act, done, refreshes = [], ...then }: Options<Sent, Got>) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: async (got, sent) => {
      await Promise.all(refreshes.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
      if (done) say(typeof done === 'string' ? done : done(got, sent))
      await then.onDone?.(got, sent)
    },
    onError: (error) => then.onFailed?.(error),
  })
}
