import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'

interface Props {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly isOpen: boolean
  readonly isPending: boolean
  readonly isBlocked?: boolean
  readonly error: Error | null
  onConfirm(): void
  onClose(): void
  readonly children?: ReactNode
}

/** Asks once more before something that cannot be taken back. */
export function ConfirmDialog({ title, text, action, error, onConfirm, onClose, children, ...state }: Props) {
  const { common } = useTexts()
  return (
    <Dialog title={title} isOpen={state.isOpen} onClose={onClose}>
      <p className="text-ink-soft">{text}</p>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!state.isBlocked) onConfirm()
        }}
      >
        {children}
        <Failure error={error} />
        <div className="mt-1 flex flex-wrap justify-end gap-2">
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button
            type="submit"
            look="danger"
            isPending={state.isPending}
            isDisabled={state.isBlocked ?? false}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
