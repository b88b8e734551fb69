import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isPassingTestKey, loadWidget, testResponse } from '../../forms/challenge.ts'
import { ApiError } from '../../server/api.ts'
import { useClientConfig } from '../../server/session.ts'
import { useSpoken, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../icon.tsx'
import { Notice } from '../messages/notice.tsx'

export interface Challenge {
  readonly widget: ReactNode
  /** Undefined if none is needed; throws if the user has not solved it yet. */
  response(): string | undefined
  /** A response is valid once: request a new one after each use. */
  renew(): void
}

export function useChallenge(): Challenge {
  const { challenge_site_key: siteKey } = useClientConfig()
  const [solved, setSolved] = useState<string>()
  const [round, setRound] = useState(0)
  const renew = () => {
    if (solved !== undefined) setRound((before) => before + 1)
  }

  if (siteKey === null) return { widget: null, response: () => undefined, renew }
  if (isPassingTestKey(siteKey)) return { widget: <TestMark />, response: () => testResponse, renew }
  const response = () => {
    if (solved === undefined) throw new ApiError(0, { code: 'CHALLENGE_REQUIRED' })
    return solved
  }
  return { widget: <Widget key={round} siteKey={siteKey} onSolved={setSolved} />, response, renew }
}

function TestMark() {
  const { challenge } = useTexts()
  return (
    <p className="flex items-center gap-2 rounded-md border border-line bg-sunken/50 px-3 py-2.5 text-small text-ink-soft">
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
