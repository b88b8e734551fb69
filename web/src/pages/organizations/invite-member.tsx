import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useTexts } from '../../texts/texts.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { FormAct } from '../../ui/dialogs/form-act.tsx'
import { RolesField, useRolesSchema } from './roles.tsx'

interface Props {
  readonly organizationId: string
  readonly offered: readonly string[]
  act(email: string, roles: string[]): Promise<unknown>
  readonly refreshes: readonly (readonly string[])[]
}

/** Invites an address by letter. */
export function InviteMember({ organizationId, offered, act, refreshes }: Props) {
  const texts = useTexts()
  const { organizations, common } = texts
  return (
    <FormAct
      look="primary"
      asks="invite"
      label={organizations.invite}
      title={organizations.inviteTitle}
      text={organizations.inviteText}
      action={organizations.sendInvitation}
      schema={z.object({ email: fieldsOf(texts).email, roles: useRolesSchema() })}
      initial={{ email: '', roles: ['member'] }}
      draft={`invite:${organizationId}`}
      refusals={{
        USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: ['email'],
        USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: ['email'],
      }}
      act={({ email, roles }) => act(email, roles)}
      done={(_, { email }) => organizations.sent(email)}
      refreshes={refreshes}
    >
      {(form) => (
        <>
          <TextField {...form.field('email')} label={common.email} type="email" autoComplete="off" autoFocus />
          <RolesField {...form.field('roles')} offered={offered} />
        </>
      )}
    </FormAct>
  )
}
