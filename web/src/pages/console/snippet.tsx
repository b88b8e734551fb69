import { useTexts } from '../../texts/texts.tsx'
import { CopyButton } from '../../ui/controls/copy-button.tsx'

/** Lines to copy. */
export function Snippet({ name, code }: { readonly name: string; readonly code: string }) {
  const { connecting } = useTexts()
  return (
    <div className="flex items-start gap-2 rounded-md border border-line bg-sunken/50 p-2 max-sm:flex-col max-sm:items-end">
      <section
        aria-label={name}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard.
        tabIndex={0}
        className="max-h-[28rem] min-w-0 grow overflow-auto p-2 max-sm:w-full"
      >
        <pre className="font-mono text-tiny leading-relaxed">{code}</pre>
      </section>
      <CopyButton text={code} label={connecting.copy(name)} />
    </div>
  )
}
