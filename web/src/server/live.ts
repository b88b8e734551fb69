export type LiveEvent =
  | { readonly name: 'unread'; readonly count: number }
  | { readonly name: 'notification' }
  | { readonly name: 'notification_archived' }
  /** The user's organisations, or the active one, have changed. */
  | { readonly name: 'organization' }
  | { readonly name: 'feedback' }
  /** Sent to the administrator: somebody signed up or in, or was changed. */
  | { readonly name: 'people' }
  | { readonly name: 'signed_out' }
  /** The stream is not available, or was interrupted for too long, so its data must be requested instead. */
  | { readonly name: 'missed' }

type OnEvent = (event: LiveEvent) => void

const names = [
  ...(['unread', 'notification', 'notification_archived', 'organization'] as const),
  ...(['feedback', 'people', 'signed_out', 'missed'] as const),
]
const retryMs = 60_000

/**
 * Follows a user's events while one of the user's pages is open. One window of the browser listens and tells the
 * others: browsers open few connections to one server. Returns a function that stops this.
 */
export function followLive(userId: string, onEvent: OnEvent): () => void {
  const stopped = new AbortController()
  const { signal } = stopped
  const channel = new BroadcastChannel(`live:${userId}`)
  channel.onmessage = ({ data }: MessageEvent<LiveEvent>) => onEvent(data)
  signal.addEventListener('abort', () => channel.close())
  const broadcast: OnEvent = (event) => {
    if (signal.aborted) return
    channel.postMessage(event)
    onEvent(event)
  }
  void inTurn(`live:${userId}`, signal, () => listen(userId, signal, broadcast))
  return () => stopped.abort()
}

/** Locks exist on https and localhost only; elsewhere each window listens for itself. */
async function inTurn(name: string, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return act()
  try {
    await navigator.locks.request(name, { signal }, act)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/**
 * Runs until it is stopped. The browser restores a lost connection by itself; a refused one is retried later. It is
 * refused while another account is active in this browser, so no page goes on with the events of another user.
 */
function listen(userId: string, signal: AbortSignal, onEvent: OnEvent): Promise<void> {
  return new Promise((resolve) => {
    let source = open()
    let timer: ReturnType<typeof setTimeout> | undefined
    signal.addEventListener('abort', () => {
      source.close()
      clearTimeout(timer)
      resolve()
    })

    function open(): EventSource {
      const opened = new EventSource(`/api/live?${new URLSearchParams({ account_id: userId })}`)
      for (const name of names) {
        opened.addEventListener(name, ({ data }) => onEvent({ name, ...JSON.parse(data) }))
      }
      opened.addEventListener('error', () => {
        if (opened.readyState !== EventSource.CLOSED) return
        onEvent({ name: 'missed' })
        timer = setTimeout(() => {
          source = open()
        }, retryMs)
      })
      return opened
    }
  })
}
