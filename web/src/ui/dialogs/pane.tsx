import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { useHasTwoPanes } from '../../wide.ts'
import { CloseButton } from './close-button.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  readonly title: ReactNode
  onClose(): void
  readonly children: ReactNode
}

/** What a row opens: beside its list where there is room, else over it. Escape closes either. */
export function Pane(props: Props) {
  return useHasTwoPanes() ? <Beside {...props} /> : <Dialog width="wide" {...props} />
}

function Beside({ title, onClose, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    const before = document.activeElement
    heading.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const close = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    onClose()
  }
  return (
    // It is not modal: the list beside it stays in reach.
    <div
      role="dialog"
      aria-labelledby={id}
      onKeyDown={close}
      className="@container sticky top-20 flex max-h-[calc(100dvh-6.5rem)] min-w-0 flex-col rounded-lg border border-line bg-surface shadow-card"
    >
      <header className="flex items-center justify-between gap-4 border-line border-b px-5 py-3">
        <h2 id={id} ref={heading} tabIndex={-1} className="wrap-anywhere min-w-0 font-semibold text-card outline-none">
          {title}
        </h2>
        <CloseButton onClose={onClose} />
      </header>
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto p-5">{children}</div>
    </div>
  )
}
