import type { ComponentProps, ReactNode } from 'react'
import { Form } from '../form.tsx'
import { Dialog } from './dialog.tsx'

interface Props extends Pick<ComponentProps<typeof Form>, 'form' | 'cancel' | 'children'> {
  readonly title: ReactNode
  readonly text: string
  readonly action: string
  readonly look?: 'primary' | 'danger'
  onClose(): void
}

/** Asks for confirmation of something that cannot be undone. */
export function ConfirmDialog({ title, text, action, look = 'danger', onClose, ...form }: Props) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="wrap-anywhere text-ink-soft">{text}</p>
      <Form {...form} className="gap-4" place="end" submit={action} look={look} onCancel={onClose} />
    </Dialog>
  )
}
