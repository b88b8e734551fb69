import { UNSTABLE_ToastQueue as ToastQueue } from 'react-aria-components/Toast'

interface Action {
  readonly label: string
  act(): void
}

interface ToastContent {
  readonly text: string
  readonly isFailure: boolean
  readonly action?: Action
  /** Said just before the person is led on: it is meant for the page that comes. */
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

/** Says that something is done, if the page itself does not show it. */
export function say(text: string, options: Options = {}): void {
  const { action, isForNextPage = false, isFailure = false } = options
  const timeout = action ? lifetimeWithActionMs : lifetimeMs
  toasts.add({ text, isFailure, isForNextPage, ...(action && { action }) }, { timeout })
}

/** What was said about one page is not left standing on the next. */
export function turnPage(): void {
  for (const { key, content } of toasts.visibleToasts) {
    if (!content.isForNextPage) toasts.close(key)
    content.isForNextPage = false
  }
}
