import { useRef, useState } from 'react'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { hintClass, labelClass } from '../../../ui/controls/text-field.tsx'

const mostBytes = 200 * 1024

type Change = { readonly action: 'replace'; readonly value: string } | { readonly action: 'remove' }

interface Props {
  /** What is stored or was just chosen. */
  readonly shownUrl: string | null
  onChange(change: Change): void
}

/** An image from the user's machine; the server checks its content. */
export function LogoField({ shownUrl, onChange }: Props) {
  const { config } = useTexts()
  const input = useRef<HTMLInputElement>(null)
  const [isTooLarge, setTooLarge] = useState(false)
  const take = async (file: File | undefined) => {
    if (!file) return
    setTooLarge(file.size > mostBytes)
    if (file.size <= mostBytes) onChange({ action: 'replace', value: await base64Of(file) })
  }
  return (
    <div className="flex flex-col gap-1.5">
      <span className={labelClass}>{config.logo}</span>
      <div className="flex flex-wrap items-center gap-3">
        {shownUrl && (
          <img src={shownUrl} alt={config.logo} className="h-12 max-w-40 rounded-md object-contain" />
        )}
        <input
          ref={input}
          type="file"
          aria-label={config.logo}
          accept="image/png,image/svg+xml"
          className="sr-only"
          tabIndex={-1}
          onChange={({ target }) => void take(target.files?.[0])}
        />
        <Button size="small" onPress={() => input.current?.click()}>
          {config.logoChoose}
        </Button>
        {shownUrl && (
          <Button size="small" look="plain" onPress={() => onChange({ action: 'remove' })}>
            {config.logoRemove}
          </Button>
        )}
      </div>
      <p className={hintClass}>{config.logoHint}</p>
      {isTooLarge && (
        <p role="alert" className="text-small text-danger">
          {config.logoTooLarge}
        </p>
      )}
    </div>
  )
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}
