import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../icon.tsx'

/** Stands at the end of the head of a dialog or a pane. */
export function CloseButton({ onClose }: { onClose(): void }) {
  const { common } = useTexts()
  return (
    <button
      type="button"
      aria-label={common.close}
      onClick={onClose}
      className="-mr-2 grid size-9 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
    >
      <Icon name="cross" />
    </button>
  )
}
