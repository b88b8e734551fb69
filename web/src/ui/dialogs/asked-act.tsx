import type { QueryKey } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { type FormOptions, useForm } from '../../forms/form.ts'
import { useAct } from '../../server/act.ts'
import { Button, type Look } from '../controls/button.tsx'

const loadDialog = () => import('./confirm-dialog.tsx')
const ConfirmDialog = lazy(async () => ({ default: (await loadDialog()).ConfirmDialog }))

type Form<Values extends object, Sent> = ReturnType<typeof useForm<Values, Sent>>

interface Props<Values extends object, Sent>
  extends Look,
    Pick<FormOptions<Values, Sent>, 'schema' | 'initial' | 'refusals' | 'draft' | 'secrets'> {
  /** On the button that opens the question. */
  readonly label: ReactNode
  readonly title: string
  readonly text: string
  /** On the button that does it. */
  readonly action: string
  act(sent: Sent): Promise<unknown>
  readonly done?: string
  readonly refreshes?: readonly QueryKey[]
  onDone?(): unknown
  children(form: Form<Values, Sent>): ReactNode
}

/** A button for what needs an answer first, such as a reason. What is typed stays if the question is closed. */
export function AskedAct<Values extends object, Sent>(props: Props<Values, Sent>) {
  const { label, title, text, action, look = 'warn', size, children } = props
  const [isOpen, setOpen] = useState(false)
  const { form, running } = useAsked(props, () => setOpen(false))
  return (
    <>
      <Button
        look={look}
        {...(size && { size })}
        onPointerEnter={() => void loadDialog()}
        onPress={() => {
          running.reset()
          setOpen(true)
        }}
      >
        {label}
      </Button>
      {isOpen && (
        <Suspense>
          <ConfirmDialog
            title={title}
            text={text}
            action={action}
            isOpen
            isPending={running.isPending}
            look={look === 'warn' ? 'danger' : 'primary'}
            error={form.failure}
            form={form.props}
            onClose={() => setOpen(false)}
          >
            {children(form)}
          </ConfirmDialog>
        </Suspense>
      )}
    </>
  )
}

function useAsked<Values extends object, Sent>(props: Props<Values, Sent>, close: () => void) {
  const { schema, initial, refusals, draft, secrets, act, done, refreshes, onDone } = props
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
    onSend: (sent) => running.mutate(sent),
  })
  return { form, running }
}
