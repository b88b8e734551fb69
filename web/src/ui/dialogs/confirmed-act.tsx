import type { QueryKey } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useAct } from '../../server/act.ts'
import { say } from '../../toasts.ts'
import { Button, type Look } from '../controls/button.tsx'

const loadDialog = () => import('./confirm-dialog.tsx')
const ConfirmDialog = lazy(async () => ({ default: (await loadDialog()).ConfirmDialog }))

interface Props extends Look {
  /** On the button that opens the question. */
  readonly label: ReactNode
  /** For screen readers, if the same label stands in every row. */
  readonly name?: string
  readonly title: string
  readonly text: string
  /** On the button that does it. */
  readonly action: string
  readonly isDisabled?: boolean
  act(): Promise<unknown>
  readonly done?: string
  /** What is said is meant for the page that comes. */
  readonly isForNextPage?: boolean
  readonly refreshes?: readonly QueryKey[]
  onDone?(): unknown
  readonly children?: ReactNode
}

/** A button for what cannot be taken back: it asks first, then does it and says so. */
export function ConfirmedAct({ label, name, title, text, action, look = 'warn', size, ...props }: Props) {
  const { isDisabled = false, act, refreshes, onDone, children } = props
  const { done, isForNextPage = false } = props
  const [isOpen, setOpen] = useState(false)
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
    <>
      <Button
        look={look}
        {...(size && { size })}
        {...(name && { 'aria-label': name })}
        isDisabled={isDisabled}
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
            error={running.error}
            onConfirm={() => running.mutate()}
            onClose={() => setOpen(false)}
          >
            {children}
          </ConfirmDialog>
        </Suspense>
      )}
    </>
  )
}
