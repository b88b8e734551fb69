import { useState } from 'react'
import { Front } from '../layout/front.tsx'
import { useSearchParams } from '../routing/router.tsx'
import { ApiError } from '../server/api.ts'
import { useTexts } from '../texts/texts.tsx'
import { ActButton } from '../ui/controls/act-button.tsx'
import { TextLink } from '../ui/controls/text-link.tsx'

/** Asks first: mail programs open links by themselves. */
export function Unsubscribe() {
  const { unsubscribing: words } = useTexts()
  const [search] = useSearchParams()
  const [isDone, setDone] = useState(false)
  return (
    <Front
      title={isDone ? words.doneTitle : words.title}
      lead={isDone ? words.done : words.lead}
      below={<TextLink to="/settings/notifications">{words.preferences}</TextLink>}
    >
      {!isDone && (
        <div className="flex flex-col gap-4">
          <ActButton
            look="primary"
            label={words.title}
            act={() => unsubscribe(search.get('token') ?? '')}
            onDone={() => setDone(true)}
          />
        </div>
      )}
    </Front>
  )
}

/** Unsubscribes as mail programs do: the token is in the address. */
async function unsubscribe(token: string): Promise<void> {
  const response = await fetch(`/api/unsubscribe?${new URLSearchParams({ token })}`, {
    method: 'POST',
  }).catch(() => {
    throw new ApiError(0, { code: 'NETWORK' })
  })
  if (!response.ok) throw new ApiError(response.status, await response.json())
}
