import { useTexts } from '../texts/texts.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { commandKeys } from './open-palette.tsx'

export function ShortcutsHelp({ onClose }: { onClose(): void }) {
  const { palette, shortcuts } = useTexts()
  const keys = [
    [palette.keys[commandKeys()], shortcuts.palette],
    ['/', shortcuts.search],
    ['J', shortcuts.next],
    ['K', shortcuts.previous],
    ['E', shortcuts.done],
    ['Esc', shortcuts.close],
    ['?', shortcuts.help],
  ] as const
  return (
    <Dialog title={shortcuts.title} onClose={onClose}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-5 gap-y-2.5">
        {keys.map(([key, words]) => (
          <div key={key} className="col-span-2 grid grid-cols-subgrid items-center">
            <dt>
              <kbd className="rounded-sm border border-line-strong bg-sunken px-2 py-1 font-sans text-small">{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
