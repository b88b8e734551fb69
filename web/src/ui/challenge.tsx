import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isPassingTestKey, loadWidget, testResponse } from '../challenge.ts'
import { useClientConfig } from '../session.ts'
import { useSpoken, useTexts } from '../texts/texts.tsx'
import { Icon } from './icon.tsx'
import { Notice } from './notice.tsx'

interface Challenge {
  /** Undefined where none is asked, or it is not solved yet. */
  readonly response: string | undefined
  readonly problem: string | undefined
  readonly widget: ReactNode
  /** A response serves once: ask anew after each use. */
  renew(): void
}

export function useChallenge(): Challenge {
  const { form } = useTexts()
  const { challenge_site_key: siteKey } = useClientConfig()
  const [solved, setSolved] = useState<string>()
  const [round, setRound] = useState(0)
  const renew = () => setRound((before) => before + 1)

  if (siteKey === null) return { response: undefined, problem: undefined, widget: null, renew }
  if (isPassingTestKey(siteKey)) {
    return { response: testResponse, problem: undefined, widget: <TestMark />, renew }
  }
  return {
    response: solved,
    problem: solved === undefined ? form.challenge : undefined,
    widget: <Widget key={round} siteKey={siteKey} onSolved={setSolved} />,
    renew,
  }
}

function TestMark() {
  const { challenge } = useTexts()
  return (
    <p className="flex items-center gap-2 rounded-md border border-line bg-sunken/50 px-3 py-2.5 text-[0.867rem] text-ink-soft">
      <Icon name="shield" className="size-4 text-accent" /> {challenge.test}
    </p>
  )
}

interface WidgetProps {
  readonly siteKey: string
  onSolved(response: string | undefined): void
}

function Widget({ siteKey, onSolved }: WidgetProps) {
  const { challenge } = useTexts()
  const { language } = useSpoken()
  const place = useRef<HTMLElement>(null)
  const [hasFailed, setFailed] = useState(false)

  useEffect(() => {
    let isGone = false
    let remove = () => {}
    onSolved(undefined)
    loadWidget().then(
      (turnstile) => {
        if (isGone || !place.current) return
        const id = turnstile.render(place.current, {
          sitekey: siteKey,
          language,
          size: 'flexible',
          callback: onSolved,
          'expired-callback': () => onSolved(undefined),
          'error-callback': () => setFailed(true),
        })
        remove = () => turnstile.remove(id)
      },
      () => setFailed(true),
    )
    return () => {
      isGone = true
      remove()
    }
  }, [siteKey, language, onSolved])

  if (hasFailed) return <Notice look="warning">{challenge.failed}</Notice>
  return <section ref={place} aria-label={challenge.label} className="min-h-[65px]" />
}
