import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components/Toast'

interface Action {
  readonly label: string
  act(): void
}

interface ToastContent {
  readonly text: string
  readonly isFailure: boolean
  readonly action?: Action
  /** Shown just before a redirect, so it is for the next page. */
  isForNextPage: boolean
}

interface Options {
  readonly isFailure?: boolean
  readonly action?: Action
  readonly isForNextPage?: boolean
}

const lifetimeMs = 6000
const lifetimeWithActionMs = 12_000

export const toasts = new ToastQueue<ToastContent>({ maxVisibleToasts: 3 })

/** Shows that something is done, if the page itself does not. */
export function say(text: string, options: Options = {}): void {
  const { action, isForNextPage = false, isFailure = false } = options
  const timeout = action ? lifetimeWithActionMs : lifetimeMs
  toasts.add({ text, isFailure, isForNextPage, ...(action && { action }) }, { timeout })
}

/** Messages about one page are removed on the next. */
export function turnPage(): void {
  for (const { key, content } of toasts.visibleToasts) {
    if (!content.isForNextPage) toasts.close(key)
    content.isForNextPage = false
  }
}
