import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf, passwordRefusals } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { type MailedLink, useMailedLink } from '../../routing/mailed-link.ts'
import { useNavigateNext } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { call, type Output } from '../../server/api.ts'
import { acceptWithPasskey, hasPasskeys, isCancelled } from '../../server/passkeys/passkeys.ts'
import { useEnter } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { NewPassword } from '../../ui/controls/new-password.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { Joining } from './joining.tsx'
import { keptInvitation } from './kept-invitation.ts'

type Shown = Output<'/api/auth/show-invitation'>

/** The target of an invitation's link, to the service or to an organisation. */
export function Invitation() {
  const { invitation, forgot } = useTexts()
  const [kept] = useState(keptInvitation)
  const mailed = useMailedLink() ?? kept
  if (!mailed) {
    const signIn = <TextLink to="/sign-in">{forgot.back}</TextLink>
    return <Front title={invitation.title} lead={invitation.missing} below={signIn} />
  }
  return <OfLink key={mailed.link} mailed={mailed} />
}

function OfLink({ mailed }: { readonly mailed: MailedLink }) {
  const { invitation, forgot } = useTexts()
  const shown = useQuery({
    queryKey: ['invitation', mailed.link],
    queryFn: () => call('/api/auth/show-invitation', mailed),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!shown.data)
    return (
      <Front title={invitation.title} below={shown.error && <TextLink to="/sign-in">{forgot.back}</TextLink>}>
        <Loaded<Shown> query={shown} skeleton={<Skeleton rows={2} />}>
          {() => null}
        </Loaded>
      </Front>
    )
  const { organization, hasAccount } = shown.data
  if (organization && hasAccount) return <Joining mailed={mailed} shown={{ ...shown.data, organization }} />
  if (organization)
    return (
      <Joining mailed={mailed} shown={{ ...shown.data, organization }}>
        <FirstCredential mailed={mailed} organization={organization} />
      </Joining>
    )
  return (
    <Front title={invitation.title} lead={invitation.lead(mailed.email)}>
      <FirstCredential mailed={mailed} organization={null} />
    </Front>
  )
}

interface Props extends Pick<Shown, 'organization'> {
  readonly mailed: MailedLink
}

/** Who has no account makes one, which is signed in; an account that the administrator made gets its first credential. */
function FirstCredential({ mailed, organization }: Props) {
  const texts = useTexts()
  const { invitation, secondStep } = texts
  const { email, link } = mailed
  const onDone = useEntered(email, organization)
  const { newPassword, optional } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ name: optional, password: newPassword }),
    initial: { name: '', password: '' },
    refusals: passwordRefusals('password'),
    act: ({ name, password }) => call('/api/auth/accept-invitation', { email, link, password, ...(name && { name }) }),
    onDone,
  })
  const name = form.values.name.trim()
  const passkey = useAct({ act: () => acceptWithPasskey({ email, link, ...(name && { name }) }), onDone })
  const other = hasPasskeys && (
    <>
      {!isCancelled(passkey.error) && <Failure error={passkey.error} />}
      <Button isPending={passkey.isPending} onPress={() => passkey.mutate()}>
        {secondStep.signUp}
      </Button>
    </>
  )
  return (
    <Form form={form} submit={organization ? invitation.create : invitation.submit} more={other}>
      {organization && (
        <TextField {...form.field('name')} label={invitation.name} autoComplete="name" maxLength={200} />
      )}
      <NewPassword {...form.field('password')} label={invitation.password} of={email} />
    </Form>
  )
}

function useEntered(email: string, organization: Shown['organization']) {
  const { invitation } = useTexts()
  const navigate = useNavigateNext()
  const enter = useEnter()
  return async () => {
    if (!organization) {
      say(invitation.done, { isForNextPage: true })
      return navigate(`/sign-in?${new URLSearchParams({ email })}`, { replace: true })
    }
    await enter()
    say(invitation.joined(organization.name), { isForNextPage: true })
    navigate(`/settings/organizations/${organization.id}`, { replace: true })
  }
}
