import type { QueryClient } from '@tanstack/react-query'
import type { SignedIn } from './auth.ts'
import { clientConfigQuery, sessionQuery } from './session.ts'

const keptKeys: readonly unknown[] = [sessionQuery.queryKey[0], clientConfigQuery.queryKey[0]]

/**
 * The windows of a browser have one session. One that learns who is signed in tells the others, and each that
 * shows another user reloads, so that no data of one user is left for the next.
 */
export function followOtherWindows(queryClient: QueryClient): void {
  const channel = new BroadcastChannel('session')
  let shown: string | null | undefined

  const showUser = (id: string | null) => {
    if (id === shown) return
    const isOtherUser = shown !== undefined && id !== null
    shown = id
    if (isOtherUser) {
      queryClient.removeQueries({ predicate: ({ queryKey }) => !keptKeys.includes(queryKey[0]) })
    }
    channel.postMessage(id)
  }
  const askAgain = async () => {
    const { queryKey } = sessionQuery
    // The first request of a window is not repeated while it is under way, and can be older than the message.
    await queryClient.cancelQueries({ queryKey })
    await queryClient.invalidateQueries({ queryKey })
  }
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== sessionQuery.queryKey[0]) return
    const signedIn = queryClient.getQueryData<SignedIn | null>(sessionQuery.queryKey)
    if (signedIn !== undefined) showUser(signedIn?.user.id ?? null)
  })
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data !== shown) void askAgain()
  }
}
