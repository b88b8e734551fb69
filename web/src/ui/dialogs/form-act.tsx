import type { ReactNode } from 'react'
import { type FormOptions, useForm } from '../../forms/form.ts'
import { DialogButton, type Question } from './dialog-button.tsx'
import { useOpen } from './use-open.ts'

interface Props<Values extends object, Sent>
  extends Question,
    Omit<FormOptions<Values, Sent>, 'clears' | 'onFailed' | 'onDone'> {
  /** The name under which the address can open the question. */
  readonly asks?: string
  onDone?(): unknown
  children(form: ReturnType<typeof useForm<Values, Sent, unknown>>): ReactNode
}

/**
 * A button for an action that needs input first, such as a reason. What is typed stays if the question is
 * closed.
 */
export function FormAct<Values extends object, Sent>(props: Props<Values, Sent>) {
  const { label, title, text, action, name, look, size, asks, onDone, children, ...options } = props
  const [isOpen, setOpen] = useOpen(asks)
  const form = useForm({
    ...options,
    clears: true,
    onDone: () => {
      setOpen(false)
      return onDone?.()
    },
  })
  return (
    <DialogButton
      {...{ label, title, text, action, name, look, size, form, isOpen }}
      onOpenChange={(opens) => {
        if (opens) form.reset()
        setOpen(opens)
      }}
    >
      {children(form)}
    </DialogButton>
  )
}
