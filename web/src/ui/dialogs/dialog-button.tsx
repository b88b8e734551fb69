import { type ComponentProps, type ReactNode, Suspense } from 'react'
import { Button, type Look } from '../controls/button.tsx'
import { latePart } from '../late.tsx'
import type { ConfirmDialog as Dialog } from './confirm-dialog.tsx'

const { prefetch, Part: ConfirmDialog } = latePart(async () => (await import('./confirm-dialog.tsx')).ConfirmDialog, {
  onGiveUp: ({ onClose }) => onClose(),
})

/** Options that the pages give to every button of this kind. */
export interface Question extends Look {
  /** Labels the button that opens the question. */
  readonly label: ReactNode
  readonly title: ReactNode
  readonly text: string
  /** Labels the button that does it. */
  readonly action: string
  /** Read by screen readers, if the same label stands in every row. */
  readonly name?: string | undefined
  readonly isDisabled?: boolean
}

interface Props extends Question, Pick<ComponentProps<typeof Dialog>, 'form' | 'children'> {
  readonly isOpen: boolean
  onOpenChange(isOpen: boolean): void
}

/** A button and the question that it opens. */
export function DialogButton({ label, name, look = 'warn', size, isDisabled, ...question }: Props) {
  const { isOpen, onOpenChange, ...dialog } = question
  return (
    <>
      <Button
        look={look}
        size={size}
        aria-label={name}
        isDisabled={isDisabled}
        onPointerEnter={() => void prefetch()}
        onPress={() => onOpenChange(true)}
      >
        {label}
      </Button>
      {isOpen && (
        <Suspense>
          <ConfirmDialog
            {...dialog}
            look={look === 'warn' ? 'danger' : 'primary'}
            onClose={() => onOpenChange(false)}
          />
        </Suspense>
      )}
    </>
  )
}
