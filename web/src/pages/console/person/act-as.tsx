import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { call } from '../../../server/api.ts'
import { useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { FormAct } from '../../../ui/dialogs/form-act.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { partQuery } from '../queries.ts'
import type { Person } from './queries.ts'

/** Opens the pages as this user sees them, for the administrator alone and where the settings allow it. */
export function ActAs({ user: { id, email, staff_scopes, suspended_at } }: { readonly user: Person }) {
  const { person } = useTexts()
  const { user } = useSignedIn()
  const isPossible = user.role === 'administrator' && staff_scopes.length === 0 && suspended_at === null
  const settings = useQuery({ ...partQuery('authentication'), enabled: isPossible })
  const allowed = settings.data?.impersonation ?? 'off'
  if (settings.error) return <LoadFailure query={settings} />
  if (!isPossible || allowed === 'off') return null
  return (
    <FormAct
      look="quiet"
      label={person.actAs}
      asks="act-as"
      title={person.actAsTitle(email)}
      text={person.actAsText}
      action={person.actAs}
      schema={z.object({ reason: z.string().check(z.maxLength(500)), write: z.boolean() })}
      initial={{ reason: '', write: false }}
      draft={`act-as:${id}`}
      act={(sent) => call('/api/auth/admin/impersonate-user', { userId: id, ...sent })}
      done={person.actAs}
      onDone={() => location.assign('/')}
    >
      {(form) => (
        <>
          <TextField {...form.field('reason')} label={person.actAsReason} autoFocus />
          {allowed === 'read_and_write' && (
            <Switch {...form.field('write')} label={person.actAsWrite} hint={person.actAsWriteHint} />
          )}
        </>
      )}
    </FormAct>
  )
}
