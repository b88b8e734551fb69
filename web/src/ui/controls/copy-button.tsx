import { useEffect, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Icon } from '../icon.tsx'
import { Button } from './button.tsx'

const confirmationMs = 2000

type Outcome = 'copied' | 'copyFailed'

export function CopyButton({ text, label }: { readonly text: string; readonly label?: string }) {
  const { common } = useTexts()
  const [outcome, setOutcome] = useState<Outcome>()

  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), confirmationMs)
    return () => clearTimeout(timer)
  }, [outcome])

  return (
    <span>
      <Button size="small" onPress={async () => setOutcome(await copy(text))} aria-label={label ?? common.copy}>
        <Icon name={outcome === 'copied' ? 'check' : 'copy'} className="size-4" />
        {outcome ? common[outcome] : common.copy}
      </Button>
      <span role="status" className="sr-only">
        {outcome && common[outcome]}
      </span>
    </span>
  )
}

/** Browsers refuse it on pages without https, or if the user denies it. */
function copy(text: string): Promise<Outcome> {
  if (!navigator.clipboard) return Promise.resolve('copyFailed')
  return navigator.clipboard.writeText(text).then(
    () => 'copied',
    () => 'copyFailed',
  )
}
