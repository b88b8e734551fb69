import type { FormHTMLAttributes, ReactNode, Ref } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../controls/button.tsx'
import { Failure } from '../messages/failure.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  readonly title: ReactNode
  readonly text: string
  readonly action: string
  readonly cancel?: string
  readonly isOpen: boolean
  readonly isPending: boolean
  readonly look?: 'primary' | 'danger'
  readonly error: Error | null
  onConfirm?(): void
  /** Its own form, if the question has fields. */
  readonly form?: FormHTMLAttributes<HTMLFormElement> & { readonly ref: Ref<HTMLFormElement> }
  onClose(): void
  readonly children?: ReactNode
}

/** Asks for confirmation of something that cannot be undone. */
export function ConfirmDialog({
  title,
  text,
  action,
  cancel,
  isOpen,
  look = 'danger',
  onClose,
  ...props
}: Props) {
  const { common } = useTexts()
  const { isPending, error, onConfirm, form, children } = props
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p className="wrap-anywhere text-ink-soft">{text}</p>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isPending) onConfirm?.()
        }}
        {...form}
      >
        {children}
        <Failure error={error} />
        <div className="mt-1 flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>{cancel ?? common.cancel}</Button>
          <Button type="submit" look={look} isPending={isPending}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
