import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { useRowByRow } from '../../../ui/lists/bulk-bar.tsx'
import type { Selection } from '../../../ui/lists/use-selection.tsx'
import { consoleKeys } from '../queries.ts'
import { ending } from '../receipt.tsx'
import type { UserRow } from '../rows.ts'
import { emptyMessage, MessageFields, useMessageSchema, writeTo } from './write.tsx'

/** The acts on several users that ask for words first. */
export function BulkForms({ selection }: { readonly selection: Selection<UserRow> }) {
  return (
    <>
      <SuspendMany selection={selection} />
      <WriteToMany selection={selection} />
    </>
  )
}

function SuspendMany({ selection }: { readonly selection: Selection<UserRow> }) {
  const texts = useTexts()
  const { people } = texts
  const runRowByRow = useRowByRow(selection, [consoleKeys.users])
  const users = selection.chosen.filter((user) => user.role === 'user' && user.suspended_at === null)
  if (users.length === 0) return null
  return (
    <FormAct
      size="small"
      label={people.suspend}
      title={people.suspendMany(users.length)}
      text={people.suspendText}
      action={people.suspend}
      schema={z.object({ reason: fieldsOf(texts).required })}
      initial={{ reason: '' }}
      draft="suspend-many"
      act={({ reason }) =>
        runRowByRow(users, ({ id }) => ending({ kind: 'user', id }, call('/api/admin/suspend_user', { id, reason })))
      }
      done={people.suspendedMany(users.length)}
    >
      {(form) => <TextField {...form.field('reason')} label={people.suspendReason} autoFocus />}
    </FormAct>
  )
}

function WriteToMany({ selection }: { readonly selection: Selection<UserRow> }) {
  const { people, person } = useTexts()
  const runRowByRow = useRowByRow(selection, [consoleKeys.notifications])
  const users = selection.chosen
  return (
    <FormAct
      size="small"
      look="quiet"
      label={person.write}
      title={people.writeMany(users.length)}
      text={people.writeText}
      action={person.send}
      schema={useMessageSchema()}
      initial={emptyMessage}
      draft="write-to-many"
      act={(message) => runRowByRow(users, ({ id }) => writeTo(id, message))}
      done={people.wroteTo(users.length)}
    >
      {(form) => <MessageFields form={form} />}
    </FormAct>
  )
}
