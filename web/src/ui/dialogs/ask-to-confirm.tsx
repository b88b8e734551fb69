import { Suspense, useEffect, useState } from 'react'
import { onRefusal } from '../../server/api.ts'
import { latePart } from '../late.tsx'

const { Part: ConfirmIdentity } = latePart(async () => (await import('./confirm-identity.tsx')).ConfirmIdentity, {
  onGiveUp: ({ onEnd }) => onEnd(false),
})

const { Part: OtherAccount } = latePart(async () => (await import('./other-account.tsx')).OtherAccount, {
  onGiveUp: ({ onEnd }) => onEnd(false),
})

const questions = { SESSION_NOT_FRESH: ConfirmIdentity, OTHER_ACCOUNT: OtherAccount } as const

interface Asked {
  readonly question: keyof typeof questions
  answer(isConfirmed: boolean): void
}

/** Asks for a credential, or for the account, if an action needs it; the action then continues. */
export function AskToConfirm() {
  const [asked, setAsked] = useState<Asked>()
  useEffect(() => {
    const ask = (question: Asked['question']) =>
      onRefusal(question, () => new Promise((answer) => setAsked({ question, answer })))
    const stops = [ask('SESSION_NOT_FRESH'), ask('OTHER_ACCOUNT')]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
  if (!asked) return null
  const Question = questions[asked.question]
  return (
    <Suspense>
      <Question
        onEnd={(isConfirmed) => {
          setAsked(undefined)
          asked.answer(isConfirmed)
        }}
      />
    </Suspense>
  )
}
