import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { useReturn } from '../../routing/return-path.ts'
import { useNavigate, useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { ApiError } from '../../server/api.ts'
import { signIn } from '../../server/auth.ts'
import { useClientConfig, useEnter } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { useChallenge } from '../../ui/controls/challenge.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { requestIn } from '../access/asking-client.ts'

export function PasswordForm() {
  const texts = useTexts()
  const { forgot_password_shown } = useClientConfig()
  const [search] = useSearchParams()
  const challenge = useChallenge()
  const back = useReturn()
  const submit = useSubmit(challenge.renew)
  const { email, password } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ email, password }),
    initial: { email: search.get('email') ?? requestIn(back.path).get('login_hint') ?? '', password: '' },
    error: submit.error,
    onSend: (credentials) =>
      challenge.use((response) => submit.mutate({ ...credentials, challenge: response })),
  })
  const typed = form.values.email.trim()

  return (
    <form {...form.props} className="flex flex-col gap-5">
      <TextField
        {...form.field('email')}
        label={texts.common.email}
        type="email"
        autoComplete="username webauthn"
      />
      <TextField
        {...form.field('password')}
        label={texts.common.password}
        type="password"
        autoComplete="current-password"
      />
      {challenge.widget}
      <Failure error={form.failure} />
      <Button type="submit" look="primary" isPending={submit.isPending}>
        {texts.signIn.submit}
      </Button>
      {forgot_password_shown && (
        <p className="text-center text-small">
          <TextLink to={back.via('/forgot', typed ? { email: typed } : {})}>{texts.signIn.forgot}</TextLink>
        </p>
      )}
    </form>
  )
}

interface Sent {
  readonly email: string
  readonly password: string
  readonly challenge: string | undefined
}

function useSubmit(renewChallenge: () => void) {
  const enter = useEnter()
  const navigate = useNavigate()
  const back = useReturn()
  const secondStep = ([method, ...others]: readonly string[]) =>
    back.via('/sign-in/second-step', method && others.length === 0 ? { method } : {})
  return useAct({
    act: ({ challenge, ...credentials }: Sent) => signIn(credentials, challenge),
    onDone: (answer) =>
      'twoFactorRedirect' in answer ? void navigate(secondStep(answer.twoFactorMethods)) : enter(),
    onFailed: (error, { email }) => {
      renewChallenge()
      if (error instanceof ApiError && error.code === 'EMAIL_NOT_VERIFIED') {
        void navigate(back.via('/verify', { email, send: 'now' }))
      }
    },
  })
}
