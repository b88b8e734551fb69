import { type DragEvent, useId, useRef, useState } from 'react'
import { useTexts } from '../../../../texts/texts.tsx'
import { Button } from '../../../../ui/controls/button.tsx'
import { hintClass, labelClass } from '../../../../ui/controls/text-field.tsx'
import { base64Of, canBeShown } from './logo-file.ts'

const mostBytes = 200 * 1024

export type LogoChange =
  | { readonly action: 'keep' }
  | { readonly action: 'replace'; readonly value: string }
  | { readonly action: 'remove' }

interface Props {
  /** What is stored or was just chosen. */
  readonly shownUrl: string | null
  /** Why the server rejected it. */
  readonly problem?: string | undefined
  onChange(change: LogoChange): void
}

/** An image from the user's machine, chosen or dropped; the server checks its content. */
export function LogoField({ shownUrl, problem, onChange }: Props) {
  const { config } = useTexts()
  const label = useId()
  const [fault, setFault] = useState<'logoTooLarge' | 'logoNoPicture'>()
  const take = async (file: File | undefined) => {
    if (!file) return
    if (file.size > mostBytes) return setFault('logoTooLarge')
    const value = await base64Of(file)
    if (!(await canBeShown(value))) return setFault('logoNoPicture')
    setFault(undefined)
    onChange({ action: 'replace', value })
  }
  const remove = () => {
    setFault(undefined)
    onChange({ action: 'remove' })
  }
  const { isOver, handlers } = useDrop((files) => void take(files[0]))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a row of a form as the others are
    <div
      role="group"
      aria-labelledby={label}
      className={`flex flex-col gap-1.5 rounded-md outline-offset-4 ${isOver ? 'outline-2 outline-accent outline-dashed' : ''}`}
      {...handlers}
    >
      <span id={label} className={labelClass}>
        {config.fields.logo}
      </span>
      <div className="flex flex-wrap items-center gap-3">
        {shownUrl && <img src={shownUrl} alt={config.fields.logo} className="logo h-12 rounded-md" />}
        <ChooseFile onChoose={(file) => void take(file)} />
        {shownUrl && (
          <Button size="small" look="plain" onPress={remove}>
            {config.logoRemove}
          </Button>
        )}
      </div>
      <p className={hintClass}>{config.logoHint}</p>
      {(fault || problem) && (
        <p role="alert" className="text-danger text-small">
          {fault ? config[fault] : problem}
        </p>
      )}
    </div>
  )
}

function ChooseFile({ onChoose }: { onChoose(file: File | undefined): void }) {
  const { config } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        aria-label={config.fields.logo}
        accept="image/png,image/svg+xml"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          onChoose(target.files?.[0])
          // Otherwise the browser says nothing when the same file is chosen again.
          target.value = ''
        }}
      />
      <Button size="small" onPress={() => input.current?.click()}>
        {config.logoChoose}
      </Button>
    </>
  )
}

function useDrop(onDrop: (files: FileList) => void) {
  const [isOver, setOver] = useState(false)
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      onDrop(event.dataTransfer.files)
    },
  }
  return { isOver, handlers }
}
