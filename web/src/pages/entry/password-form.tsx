import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { useReturn } from '../../routing/return-path.ts'
import { useNavigateNext, useSearchParams } from '../../routing/router.tsx'
import type { ActOptions } from '../../server/act.ts'
import { ApiError } from '../../server/api.ts'
import { type Credentials, signIn } from '../../server/auth.ts'
import { useClientConfig, useEnter } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { type Challenge, useChallenge } from '../../ui/controls/challenge.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'
import { requestIn } from '../access/asking-client.ts'

export function PasswordForm() {
  const texts = useTexts()
  const { forgot_password_shown } = useClientConfig()
  const [search] = useSearchParams()
  const challenge = useChallenge()
  const back = useReturn()
  const { email, password } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ email, password }),
    initial: { email: search.get('email') ?? requestIn(back.path).get('login_hint') ?? '', password: '' },
    ...useSignIn(challenge),
  })
  const typed = form.values.email.trim()
  const forgot = forgot_password_shown && (
    <p className="text-center text-small">
      <TextLink to={back.via('/forgot', typed ? { email: typed } : {})}>{texts.signIn.forgot}</TextLink>
    </p>
  )

  return (
    <Form form={form} submit={texts.signIn.submit} more={forgot}>
      <TextField {...form.field('email')} label={texts.common.email} type="email" autoComplete="username webauthn" />
      <TextField
        {...form.field('password')}
        label={texts.common.password}
        type="password"
        autoComplete="current-password"
      />
      {challenge.widget}
    </Form>
  )
}

function useSignIn(challenge: Challenge): ActOptions<Credentials, Awaited<ReturnType<typeof signIn>>> {
  const enter = useEnter()
  const navigate = useNavigateNext()
  const back = useReturn()
  const secondStep = ([method, ...others]: readonly string[]) =>
    back.via('/sign-in/second-step', method && others.length === 0 ? { method } : {})
  return {
    act: async (credentials) => signIn(credentials, challenge.response()),
    onDone: (answer) => ('twoFactorRedirect' in answer ? navigate(secondStep(answer.twoFactorMethods)) : enter()),
    onFailed: (error, { email }) => {
      challenge.renew()
      if (error instanceof ApiError && error.code === 'EMAIL_NOT_VERIFIED') {
        navigate(back.via('/verify', { email, send: 'now' }))
      }
    },
  }
}
