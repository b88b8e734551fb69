import { onSubmit } from '../../forms/on-submit.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

interface Props {
  onKeep(): void
  onDiscard(): void
}

export function AskToDiscard({ onKeep, onDiscard }: Props) {
  const { unsaved } = useTexts()
  return (
    <ConfirmDialog
      title={unsaved.title}
      text={unsaved.text}
      action={unsaved.discard}
      cancel={unsaved.keep}
      form={{ props: { onSubmit: onSubmit(onDiscard) }, isPending: false, failure: null }}
      onClose={onKeep}
    />
  )
}
