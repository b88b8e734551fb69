import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Icon } from './icon.tsx'

const lifetimeMs = 6000

interface Toast {
  readonly id: number
  readonly text: string
}

const ToastContext = createContext<(text: string) => void>(() => {})

/** Says that something is done, where the page itself does not show it. */
export const useToast = () => use(ToastContext)

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])

  const say = useCallback((text: string) => {
    setToasts((before) => [...before.slice(-2), { id: (before.at(-1)?.id ?? 0) + 1, text }])
  }, [])
  const drop = useCallback((id: number) => {
    setToasts((before) => before.filter((toast) => toast.id !== id))
  }, [])

  return (
    <ToastContext value={say}>
      {children}
      <div
        role="status"
        className="pointer-events-none fixed inset-x-0 bottom-0 z-50 flex flex-col items-center gap-2 p-4 sm:items-end sm:p-6"
      >
        {toasts.map((toast) => (
          <ToastCard key={toast.id} toast={toast} onClose={drop} />
        ))}
      </div>
    </ToastContext>
  )
}

function ToastCard({ toast, onClose }: { readonly toast: Toast; onClose(id: number): void }) {
  const { common } = useTexts()

  useEffect(() => {
    const timer = setTimeout(() => onClose(toast.id), lifetimeMs)
    return () => clearTimeout(timer)
  }, [toast.id, onClose])

  return (
    <div className="appear pointer-events-auto flex max-w-full items-center gap-3 rounded-lg bg-ink py-2.5 pr-2 pl-4 text-[0.933rem] text-ground shadow-float sm:max-w-md">
      <Icon name="check" className="size-4" />
      <span>{toast.text}</span>
      <button
        type="button"
        aria-label={common.close}
        onClick={() => onClose(toast.id)}
        className="grid size-8 place-items-center rounded-md opacity-70 hover:opacity-100 focus-visible:outline-ground"
      >
        <Icon name="cross" className="size-4" />
      </button>
    </div>
  )
}
