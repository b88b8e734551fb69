import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { may } from '../../scope-tiers.ts'
import { call, type Input, type Output } from '../../server/api.ts'
import { useSignedIn } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { CloseButton } from '../../ui/dialogs/close-button.tsx'
import { useInstant } from '../../ui/facts/time.tsx'
import { Notice } from '../../ui/messages/notice.tsx'

type Ended = Input<'/api/admin/get_receipt'>
type Receipt = Output<'/api/admin/get_receipt'>

const askedEveryMs = 500
const silentAskedEveryMs = 3_000

let latest: Ended | undefined
let followers: readonly (() => void)[] = []

function follow(follower: () => void) {
  followers = [...followers, follower]
  return () => {
    followers = followers.filter((other) => other !== follower)
  }
}

function show(ended: Ended | undefined) {
  latest = ended
  for (const follower of followers) follower()
}

/** Ends something, and shows from then on which back ends refuse it. */
export async function ending<Got>(ended: Ended, act: Promise<Got>): Promise<Got> {
  const got = await act
  show(ended)
  return got
}

/** What was ended last, above whichever page of the console is open. Nothing without a back end that follows. */
export function LatestEnd() {
  const { user } = useSignedIn()
  const ended = useSyncExternalStore(follow, () => latest)
  const { data } = useQuery({
    queryKey: ['receipt', ended],
    queryFn: () => call('/api/admin/get_receipt', ended ?? { kind: 'user', id: '-' }),
    enabled: ended !== undefined && may(user, 'admin:applications:read'),
    refetchInterval: ({ state }) => pauseAfter(state.data),
  })
  if (!data || countOf(data) === 0) return null
  return (
    <div className="sticky top-20 z-20 mb-6 max-h-[40vh] overflow-y-auto rounded-lg bg-surface shadow-lg lg:top-16">
      <ReceiptNotice receipt={data} />
    </div>
  )
}

function pauseAfter(receipt: Receipt | undefined): number | false {
  if (!receipt) return false
  if (receipt.waiting.length > 0) return askedEveryMs
  return receipt.silent.length > 0 && silentAskedEveryMs
}

function countOf({ refused_by, waiting, silent }: Receipt): number {
  return refused_by.length + waiting.length + silent.length
}

function ReceiptNotice({ receipt }: { readonly receipt: Receipt }) {
  const { receipts } = useTexts()
  const instant = useInstant()
  const { ended_at, refused_by, waiting, silent } = receipt
  const by = refused_by.length > 0 ? receipts.by(instant(Math.max(...refused_by.map(({ at }) => at)))) : ''
  return (
    <Notice
      look={silent.length > 0 ? 'warning' : 'done'}
      title={receipts.ended(instant(ended_at), receipts.refused(refused_by.length, countOf(receipt)) + by)}
      action={<CloseButton onClose={() => show(undefined)} />}
    >
      {waiting.length > 0 && (
        <p>{receipts.waiting(waiting.map(({ application, name }) => name || application).join(', '))}</p>
      )}
      {silent.map(({ application, name, seen_at, until }) => (
        <p key={`${application} ${name} ${seen_at}`}>
          {receipts.silent(name || application, instant(seen_at), until === null ? null : instant(until))}
        </p>
      ))}
    </Notice>
  )
}
