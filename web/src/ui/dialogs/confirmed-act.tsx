import type { ReactNode } from 'react'
import { onSubmit } from '../../forms/on-submit.ts'
import { type ActOptions, useAct } from '../../server/act.ts'
import { say } from '../../toasts.ts'
import { DialogButton, type Question } from './dialog-button.tsx'
import { useOpen } from './use-open.ts'

interface Props extends Omit<Question, 'action'>, Pick<ActOptions<void, unknown>, 'act' | 'refreshes'> {
  /** Labels the button that opens the question, and the one that does it. */
  readonly label: string
  /** The name under which the address can open the question. */
  readonly asks?: string
  readonly done?: string
  /** The message is for the next page. */
  readonly isForNextPage?: boolean
  onDone?(): unknown
  readonly children?: ReactNode
}

/** A button for acts that cannot be undone: it asks first, then acts and shows a message. */
export function ConfirmedAct(props: Props) {
  const { act, refreshes = [], done, isForNextPage = false, onDone, asks, ...question } = props
  const [isOpen, setOpen] = useOpen(asks)
  const running = useAct({
    act,
    refreshes,
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
      form={{
        props: { onSubmit: onSubmit(running.mutate) },
        isPending: running.isPending,
        failure: running.error,
      }}
      onOpenChange={(opens) => {
        if (opens) running.reset()
        setOpen(opens)
      }}
    />
  )
}
