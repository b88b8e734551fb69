import { useState } from 'react'
import { call, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { consoleKeys, userQuery } from '../queries.ts'

export function Suspension({ user }: { readonly user: Output<'/api/admin/get_user'> }) {
  const { people } = useTexts()
  const [reason, setReason] = useState('')
  const { id, email, suspended_at, suspension_reason } = user
  const refreshes = [userQuery(id).queryKey, consoleKeys.users]
  if (suspended_at !== null) {
    return (
      <ConfirmedAct
        look="quiet"
        label={people.restore}
        title={people.restore}
        text={suspension_reason ?? ''}
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
