import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { ending } from '../receipt.tsx'
import { Suspension } from '../suspension.tsx'
import { type Person, refreshesOf } from './queries.ts'

export function PersonSuspension({ user: { id, email, suspended_at } }: { readonly user: Person }) {
  const { people, person } = useTexts()
  return (
    <Suspension
      id={id}
      isSuspended={suspended_at !== null}
      words={{ title: people.suspendTitle(email), text: people.suspendText, restore: person.restoreText }}
      refreshes={refreshesOf(id)}
      suspend={(reason) => ending({ kind: 'user', id }, call('/api/admin/suspend_user', { id, reason }))}
      restore={() => call('/api/admin/restore_user', { id })}
    />
  )
}
