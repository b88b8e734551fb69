import { useState } from 'react'
import { Front } from '../layout/front.tsx'
import { useSearchParams } from '../routing/router.tsx'
import { useAct } from '../server/act.ts'
import { unsubscribe } from '../server/unsubscribe.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/controls/button.tsx'
import { TextLink } from '../ui/controls/text-link.tsx'
import { Failure } from '../ui/messages/failure.tsx'

/** Asks first: mail programs open links by themselves. */
export function Unsubscribe() {
  const { unsubscribing: words, unsubscribing } = useTexts()
  const [search] = useSearchParams()
  const [isDone, setDone] = useState(false)
  const end = useAct({
    act: () => unsubscribe(search.get('token') ?? ''),
    onDone: () => setDone(true),
  })
  return (
    <Front
      title={isDone ? words.doneTitle : words.title}
      lead={isDone ? words.done : words.lead}
      below={<TextLink to="/settings/notifications">{words.preferences}</TextLink>}
    >
      {!isDone && (
        <div className="flex flex-col gap-4">
          <Failure error={end.error} />
          <Button look="primary" isPending={end.isPending} onPress={() => end.mutate()}>
            {unsubscribing.title}
          </Button>
        </div>
      )}
    </Front>
  )
}
