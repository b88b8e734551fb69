import { useEffect, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

const confirmationMs = 2000

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { common } = useTexts()
  const [isCopied, setCopied] = useState(false)

  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), confirmationMs)
    return () => clearTimeout(timer)
  }, [isCopied])

  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }

  return (
    <Button size="small" onPress={copy} aria-label={label ?? common.copy}>
      <Icon name={isCopied ? 'check' : 'copy'} className="size-4" />
      {isCopied ? common.copied : common.copy}
    </Button>
  )
}
