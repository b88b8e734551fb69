import { createContext, type ReactNode, Suspense, use, useEffect, useId, useMemo, useState } from 'react'
import { latePart } from '../ui/late.tsx'
import { dropDraft } from './draft.ts'

const { Part: AskToDiscard } = latePart(async () => (await import('../ui/dialogs/ask-to-discard.tsx')).AskToDiscard, {
  onGiveUp: ({ onKeep }) => onKeep(),
  requestOf: ({ onDiscard }) => onDiscard,
})

interface Changes {
  readonly isChanged: boolean
  /** The draft to drop if the user discards the changes. */
  readonly draft?: string | undefined
}

interface Unsaved {
  /** True if leaving the page would lose something. */
  has(): boolean
  mark(form: string, unsaved: Changes): void
  /** Asks the user, and leaves if they agree. */
  askToLeave(leave: () => void): void
  /** The user has discarded the changes. */
  discard(): void
}

/** A new object each time the user is asked. */
interface Question {
  onKeep(): void
  onDiscard(): void
}

const UnsavedContext = createContext<Unsaved>({
  has: () => false,
  mark: () => undefined,
  askToLeave: (leave) => leave(),
  discard: () => undefined,
})

export const useUnsavedWork = () => use(UnsavedContext)

/** Tracks which forms have unsaved changes, and asks before they are lost. */
export function UnsavedProvider({ children }: { readonly children: ReactNode }) {
  const [question, setQuestion] = useState<Question>()
  const unsaved = useMemo<Unsaved>(() => {
    const forms = new Map<string, string | undefined>()
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    const onKeep = () => setQuestion(undefined)
    const discard = () => {
      for (const draft of forms.values()) if (draft) dropDraft(draft)
    }
    return {
      has: () => forms.size > 0,
      mark: (form, { isChanged, draft }) => {
        if (isChanged) forms.set(form, draft)
        else forms.delete(form)
        if (forms.size > 0) addEventListener('beforeunload', warn)
        else removeEventListener('beforeunload', warn)
      },
      askToLeave: (leave) => {
        const onDiscard = () => {
          onKeep()
          discard()
          leave()
        }
        setQuestion({ onKeep, onDiscard })
      },
      discard,
    }
  }, [])

  return (
    <UnsavedContext value={unsaved}>
      {children}
      {question && (
        <Suspense>
          <AskToDiscard {...question} />
        </Suspense>
      )}
    </UnsavedContext>
  )
}

/** Marks a form that has unsaved changes; returns a function to call once they are saved. */
export function useUnsaved({ isChanged, draft }: Changes): () => void {
  const { mark } = useUnsavedWork()
  const form = useId()
  useEffect(() => {
    mark(form, { isChanged, draft })
    return () => mark(form, { isChanged: false })
  }, [form, isChanged, draft, mark])
  return () => mark(form, { isChanged: false })
}
