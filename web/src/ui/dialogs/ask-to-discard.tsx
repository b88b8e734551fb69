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
      isOpen
      isPending={false}
      error={null}
      onConfirm={onDiscard}
      onClose={onKeep}
    />
  )
}
