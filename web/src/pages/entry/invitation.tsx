import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { type MailedLink, useMailedLink } from '../../routing/mailed-link.ts'
import { useNavigate } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { call } from '../../server/api.ts'
import { acceptWithPasskey, isCancelled } from '../../server/passkeys/passkeys.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
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
  const { invitation } = texts
  const navigate = useNavigate()
  const onDone = () => {
    say(invitation.done, { isForNextPage: true })
    return navigate(`/sign-in?${new URLSearchParams({ email })}`, { replace: true })
  }
  const accept = useAct({
    act: ({ password }: { readonly password: string }) =>
      call('/api/auth/accept-invitation', { email, link, password }),
    onDone,
  })
  const passkey = useAct({ act: () => acceptWithPasskey({ email, link }), onDone })
  const form = useForm({
    schema: z.object({ password: fieldsOf(texts).newPassword }),
    initial: { password: '' },
    error: accept.error,
    refusals: {
      PASSWORD_TOO_SHORT: ['password'],
      PASSWORD_TOO_LONG: ['password'],
      PASSWORD_COMPROMISED: ['password'],
    },
    onSend: (sent) => accept.mutate(sent),
  })
  return (
    <form {...form.props} className="flex flex-col gap-5">
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <TextField
        {...form.field('password')}
        label={invitation.password}
        type="password"
        autoComplete="new-password"
        hint={texts.signUp.passwordHint}
      />
      <Failure error={form.failure} />
      {!isCancelled(passkey.error) && <Failure error={passkey.error} />}
      <Button type="submit" look="primary" isPending={accept.isPending}>
        {invitation.submit}
      </Button>
      <Button isPending={passkey.isPending} onPress={() => passkey.mutate()}>
        {invitation.passkey}
      </Button>
    </form>
  )
}
