import { type DragEvent, useId, useRef, useState } from 'react'
import { useTexts } from '../../../../texts/texts.tsx'
import { Button } from '../../../../ui/controls/button.tsx'
import { hintClass, labelClass, Problem } from '../../../../ui/controls/field.tsx'
import type { ControlProps } from '../part-fields.tsx'
import type { SecretChange } from '../secret-field.tsx'
import { base64Of, canBeShown } from './logo-file.ts'

const mostBytes = 200 * 1024

interface Props extends Omit<ControlProps<SecretChange>, 'document' | 'value'> {
  /** The stored logo, or the one just chosen. */
  readonly shownUrl: string | null
}

/** An image from the user's machine, chosen or dropped; the server checks its content. */
export function PictureField({ label: name, hint, shownUrl, problem, onChange }: Props) {
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
        {name}
      </span>
      <div className="flex flex-wrap items-center gap-3">
        {shownUrl && <img src={shownUrl} alt={name} className="logo h-12 rounded-md" />}
        <ChooseFile label={name} onChoose={(file) => void take(file)} />
        {shownUrl && (
          <Button size="small" look="plain" onPress={remove}>
            {config.logoRemove}
          </Button>
        )}
      </div>
      <p className={hintClass}>{hint}</p>
      <Problem role="alert">{fault ? config[fault] : problem}</Problem>
    </div>
  )
}

interface ChooseFileProps {
  readonly label: string
  onChoose(file: File | undefined): void
}

function ChooseFile({ label, onChoose }: ChooseFileProps) {
  const { config } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        aria-label={label}
        accept="image/png,image/svg+xml"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          onChoose(target.files?.[0])
          // Otherwise the browser reports nothing when the same file is chosen again.
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
