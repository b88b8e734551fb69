import { type ReactNode, useEffect, useRef, useState } from 'react'
import { isPassingTestKey, loadWidget, testResponse } from '../../forms/challenge.ts'
import { useClientConfig } from '../../server/session.ts'
import { useSpoken, useTexts } from '../../texts/texts.tsx'
import { Icon } from '../icon.tsx'
import { Notice } from '../messages/notice.tsx'

export interface Challenge {
  readonly widget: ReactNode
  /** Returns the response, or undefined if none is needed; if one is missing, the page says so. */
  use(send: (response: string | undefined) => void): void
  /** A response is valid once: request a new one after each use. */
  renew(): void
}

export function useChallenge(): Challenge {
  const { challenge_site_key: siteKey } = useClientConfig()
  const [solved, setSolved] = useState<string>()
  const [isMissing, setMissing] = useState(false)
  const [round, setRound] = useState(0)
  const renew = () => setRound((before) => before + 1)

  if (siteKey === null) return { widget: null, use: (send) => send(undefined), renew }
  if (isPassingTestKey(siteKey)) {
    return { widget: <TestMark />, use: (send) => send(testResponse), renew }
  }
  return {
    widget: (
      <>
        <Widget key={round} siteKey={siteKey} onSolved={setSolved} />
        {isMissing && solved === undefined && <Missing />}
      </>
    ),
    use: (send) => {
      setMissing(solved === undefined)
      if (solved !== undefined) send(solved)
    },
    renew,
  }
}

function Missing() {
  const { form } = useTexts()
  return <Notice look="danger">{form.challenge}</Notice>
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
