import * as z from 'zod/mini'
import { fieldsOf, passwordRefusals } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { type MailedLink, useMailedLink } from '../../routing/mailed-link.ts'
import { useNavigateNext } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import { acceptWithPasskey, hasPasskeys, isCancelled } from '../../server/passkeys/passkeys.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { NewPassword } from '../../ui/controls/new-password.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

/** The target of an invitation's link: its recipient chooses the first credential. */
export function Invitation() {
  const { invitation, forgot } = useTexts()
  const mailed = useMailedLink()
  if (!mailed) {
    const signIn = <TextLink to="/sign-in">{forgot.back}</TextLink>
    return <Front title={invitation.title} lead={invitation.missing} below={signIn} />
  }
  return (
    <Front title={invitation.title} lead={invitation.lead(mailed.email)}>
      <Choice {...mailed} />
    </Front>
  )
}

function Choice({ email, link }: MailedLink) {
  const texts = useTexts()
  const { invitation, secondStep } = texts
  const navigate = useNavigateNext()
  const onDone = () => {
    say(invitation.done, { isForNextPage: true })
    return navigate(`/sign-in?${new URLSearchParams({ email })}`, { replace: true })
  }
  const passkey = useAct({ act: () => acceptWithPasskey({ email, link }), onDone })
  const form = useForm({
    schema: z.object({ password: fieldsOf(texts).newPassword }),
    initial: { password: '' },
    refusals: passwordRefusals('password'),
    act: ({ password }) => call('/api/auth/accept-invitation', { email, link, password }),
    onDone,
  })
  const other = hasPasskeys && (
    <>
      {!isCancelled(passkey.error) && <Failure error={passkey.error} />}
      <Button isPending={passkey.isPending} onPress={() => passkey.mutate()}>
        {secondStep.signUp}
      </Button>
    </>
  )
  return (
    <Form form={form} submit={invitation.submit} more={other}>
      <NewPassword {...form.field('password')} label={invitation.password} of={email} />
    </Form>
  )
}
