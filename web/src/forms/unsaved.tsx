import {
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  use,
  useEffect,
  useId,
  useMemo,
  useState,
} from 'react'

import { dropFormDrafts } from './draft.ts'

const AskToDiscard = lazy(async () => ({
  default: (await import('../ui/dialogs/ask-to-discard.tsx')).AskToDiscard,
}))

interface Unsaved {
  /** Whether something on the page would be lost by leaving it. */
  has(): boolean
  mark(form: string, isUnsaved: boolean): void
  /** Asks the person, and leaves if they agree. */
  askToLeave(leave: () => void): void
}

const UnsavedContext = createContext<Unsaved>({
  has: () => false,
  mark: () => undefined,
  askToLeave: (leave) => leave(),
})

export const useUnsavedWork = () => use(UnsavedContext)

/** Knows which forms hold changes that nobody has saved, and asks before they are lost. */
export function UnsavedProvider({ children }: { readonly children: ReactNode }) {
  const [leave, setLeave] = useState<() => void>()
  const unsaved = useMemo<Unsaved>(() => {
    const forms = new Set<string>()
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    return {
      has: () => forms.size > 0,
      mark: (form, isUnsaved) => {
        if (isUnsaved) forms.add(form)
        else forms.delete(form)
        if (forms.size > 0) addEventListener('beforeunload', warn)
        else removeEventListener('beforeunload', warn)
      },
      askToLeave: (action) => setLeave(() => action),
    }
  }, [])

  return (
    <UnsavedContext value={unsaved}>
      {children}
      {leave && (
        <Suspense>
          <AskToDiscard
            onKeep={() => setLeave(undefined)}
            onDiscard={() => {
              setLeave(undefined)
              dropFormDrafts()
              leave()
            }}
          />
        </Suspense>
      )}
    </UnsavedContext>
  )
}

/** Marks a form that holds changes; what it returns lets go of them, once they are saved. */
export function useUnsaved(isUnsaved: boolean): () => void {
  const { mark } = useUnsavedWork()
  const form = useId()
  useEffect(() => {
    mark(form, isUnsaved)
    return () => mark(form, false)
  }, [form, isUnsaved, mark])
  return () => mark(form, false)
}
