import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { type Person, refreshesOf } from './queries.ts'

export function Suspension({ user }: { readonly user: Person }) {
  const texts = useTexts()
  const { people, person } = texts
  const { id, email, suspended_at } = user
  const refreshes = refreshesOf(id)
  if (suspended_at !== null) {
    return (
      <ConfirmedAct
        look="quiet"
        label={people.restore}
        asks="restore"
        title={people.restore}
        text={person.restoreText}
        act={() => call('/api/admin/restore_user', { id })}
        done={people.restored}
        refreshes={refreshes}
      />
    )
  }
  return (
    <FormAct
      label={people.suspend}
      asks="suspend"
      title={people.suspendTitle(email)}
      text={people.suspendText}
      action={people.suspend}
      schema={z.object({ reason: fieldsOf(texts).required })}
      initial={{ reason: '' }}
      draft={`suspend:${id}`}
      act={({ reason }) => call('/api/admin/suspend_user', { id, reason })}
      done={people.suspended}
      refreshes={refreshes}
    >
      {(form) => <TextField {...form.field('reason')} label={people.suspendReason} autoFocus />}
    </FormAct>
  )
}
