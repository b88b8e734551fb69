import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAct } from '../../server/act.ts'
import { say } from '../../toasts.ts'
import { DialogButton, type Question } from './dialog-button.tsx'
import { useOpen } from './use-open.ts'

interface Props extends Omit<Question, 'label' | 'action'> {
  /** On the button that opens the question, and on the one that does it. */
  readonly label: string
  /** For screen readers, if the same label stands in every row. */
  readonly name?: string
  readonly isDisabled?: boolean
  /** The name under which the address can open the question. */
  readonly asks?: string
  act(): Promise<unknown>
  readonly done?: string
  /** The message is for the next page. */
  readonly isForNextPage?: boolean
  readonly refreshes?: readonly QueryKey[]
  onDone?(): unknown
  readonly children?: ReactNode
}

/** A button for what cannot be undone: it asks first, then does it and shows a message. */
export function ConfirmedAct({
  act,
  refreshes,
  done,
  isForNextPage = false,
  onDone,
  asks,
  children,
  ...question
}: Props) {
  const [isOpen, setOpen] = useOpen(asks)
  const running = useAct({
    act,
    ...(refreshes && { refreshes }),
    onDone: () => {
      setOpen(false)
      if (done) say(done, { isForNextPage })
      return onDone?.()
    },
  })
  return (
    <DialogButton
      {...question}
      action={question.label}
      isOpen={isOpen}
      isPending={running.isPending}
      error={running.error}
      onConfirm={() => running.mutate()}
      onOpenChange={(opens) => {
        if (opens) running.reset()
        setOpen(opens)
      }}
    >
      {children}
    </DialogButton>
  )
}
