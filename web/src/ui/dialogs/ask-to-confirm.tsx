import { lazy, Suspense, useEffect, useState } from 'react'
import { onStaleSession } from '../../server/api.ts'

const ConfirmIdentity = lazy(async () => ({
  default: (await import('./confirm-identity.tsx')).ConfirmIdentity,
}))

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
