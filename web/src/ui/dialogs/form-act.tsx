import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type FormOptions, useForm } from '../../forms/form.ts'
import { useAct } from '../../server/act.ts'
import { DialogButton, type Question } from './dialog-button.tsx'
import { useOpen } from './use-open.ts'

type Form<Values extends object, Sent> = ReturnType<typeof useForm<Values, Sent>>

interface Props<Values extends object, Sent>
  extends Question,
    Pick<FormOptions<Values, Sent>, 'schema' | 'initial' | 'refusals' | 'draft' | 'secrets' | 'isEdit'> {
  /** For screen readers, if the same label can stand for several. */
  readonly name?: string
  /** The name under which the address can open the question. */
  readonly asks?: string
  act(sent: Sent): Promise<unknown>
  readonly done?: string
  readonly refreshes?: readonly QueryKey[]
  onDone?(): unknown
  children(form: Form<Values, Sent>): ReactNode
}

/**
 * A button for an action that needs input first, such as a reason. What is typed stays if the question is
 * closed.
 */
export function FormAct<Values extends object, Sent>(props: Props<Values, Sent>) {
  const { label, name, title, text, action, look, size, children } = props
  const [isOpen, setOpen] = useOpen(props.asks)
  const { form, running } = useFormAct(props, () => setOpen(false))
  return (
    <DialogButton
      label={label}
      name={name}
      title={title}
      text={text}
      action={action}
      {...(look && { look })}
      {...(size && { size })}
      isOpen={isOpen}
      isPending={running.isPending}
      error={form.failure}
      form={form.props}
      onOpenChange={(opens) => {
        if (opens) running.reset()
        setOpen(opens)
      }}
    >
      {children(form)}
    </DialogButton>
  )
}

function useFormAct<Values extends object, Sent>(props: Props<Values, Sent>, close: () => void) {
  const { schema, initial, refusals, draft, secrets, isEdit, act, done, refreshes, onDone } = props
  const running = useAct({
    act,
    ...(done && { done }),
    ...(refreshes && { refreshes }),
    onDone: () => {
      close()
      form.clear()
      return onDone?.()
    },
  })
  const form = useForm<Values, Sent>({
    schema,
    initial,
    error: running.error,
    ...(refusals && { refusals }),
    ...(draft && { draft }),
    ...(secrets && { secrets }),
    ...(isEdit && { isEdit }),
    onSend: (sent) => running.mutate(sent),
  })
  return { form, running }
}
