import { Suspense, useEffect, useState } from 'react'
import { onStaleSession } from '../../server/api.ts'
import { latePart } from '../late.tsx'

const { Part: ConfirmIdentity } = latePart(async () => (await import('./confirm-identity.tsx')).ConfirmIdentity, {
  onGiveUp: ({ onEnd }) => onEnd(false),
})

/** Asks for a credential if an action needs a fresh session; the action then continues. */
export function AskToConfirm() {
  const [answer, setAnswer] = useState<(isConfirmed: boolean) => void>()
  useEffect(() => onStaleSession(() => new Promise((resolve) => setAnswer(() => resolve))), [])
  if (!answer) return null
  return (
    <Suspense>
      <ConfirmIdentity
        onEnd={(isConfirmed) => {
          setAnswer(undefined)
          answer(isConfirmed)
        }}
      />
    </Suspense>
  )
}
