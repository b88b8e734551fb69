import { useState } from 'react'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { type Person, refreshesOf } from './queries.ts'

export function Suspension({ user }: { readonly user: Person }) {
  const { people, person } = useTexts()
  const [reason, setReason] = useState('')
  const { id, email, suspended_at } = user
  const refreshes = refreshesOf(id)
  if (suspended_at !== null) {
    return (
      <ConfirmedAct
        look="quiet"
        label={people.restore}
        title={people.restore}
        text={person.restoreText}
        action={people.restore}
        act={() => call('/api/admin/restore_user', { id })}
        done={people.restored}
        refreshes={refreshes}
      />
    )
  }
  return (
    <ConfirmedAct
      label={people.suspend}
      title={people.suspendTitle(email)}
      text={people.suspendText}
      action={people.suspend}
      isBlocked={reason.trim() === ''}
      act={() => call('/api/admin/suspend_user', { id, reason })}
      done={people.suspended}
      refreshes={refreshes}
    >
      <TextField label={people.suspendReason} value={reason} onChange={setReason} />
    </ConfirmedAct>
  )
}
