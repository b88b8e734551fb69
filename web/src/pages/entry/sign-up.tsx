import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { useFreshCredentials } from '../../forms/fresh-credentials.tsx'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate, useNavigate } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { signUp } from '../../server/auth.ts'
import { useClientConfig, useEnter, useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { useChallenge } from '../../ui/controls/challenge.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { PasskeySignUp } from './passkey-sign-up.tsx'
import { ProviderButtons } from './provider-buttons.tsx'

export function SignUp() {
  const { signUp: texts } = useTexts()
  const { registration_enabled } = useClientConfig()
  const { data: signedIn } = useSession()
  const back = useReturn()
  if (signedIn) return <Navigate to={back.path} replace />

  const below = (
    <>
      {texts.haveAccount} <TextLink to={back.via('/sign-in')}>{texts.signIn}</TextLink>
    </>
  )
  if (!registration_enabled) return <Front title={texts.closedTitle} lead={texts.closedText} below={below} />
  return (
    <Front title={texts.title} lead={texts.lead} below={below}>
      <ProviderButtons />
      <SignUpForm />
    </Front>
  )
}

function SignUpForm() {
  const texts = useTexts()
  const challenge = useChallenge()
  const submit = useSubmit(challenge.renew)
  const { passkey_sign_up_enabled } = useClientConfig()
  const [isEmailAsked, setEmailAsked] = useState(false)
  const { email, newPassword } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ email, password: newPassword }),
    initial: { email: '', password: '' },
    error: submit.error,
    refusals: {
      EMAIL_DOMAIN_NOT_ALLOWED: ['email'],
      USER_ALREADY_EXISTS: ['email'],
      PASSWORD_TOO_SHORT: ['password'],
      PASSWORD_TOO_LONG: ['password'],
      PASSWORD_COMPROMISED: ['password'],
    },
    onSend: (credentials) =>
      challenge.use((response) => submit.mutate({ ...credentials, challenge: response })),
  })

  const typed = z.safeParse(email, form.values.email)
  const emailField = form.field('email')
  const missing = isEmailAsked && !typed.success ? texts.secondStep.signUpNeedsEmail : undefined
  return (
    <form {...form.props} className="flex flex-col gap-5">
      <TextField
        {...emailField}
        problem={emailField.problem ?? missing}
        label={texts.common.email}
        type="email"
        autoComplete="username"
      />
      <TextField
        {...form.field('password')}
        label={texts.common.password}
        type="password"
        autoComplete="new-password"
        hint={texts.signUp.passwordHint}
      />
      {challenge.widget}
      <Failure error={form.failure} />
      <Button type="submit" look="primary" isPending={submit.isPending}>
        {texts.signUp.submit}
      </Button>
      {passkey_sign_up_enabled && 'PublicKeyCredential' in window && (
        <PasskeySignUp
          email={typed.success ? typed.data : undefined}
          challenge={challenge}
          onMissingEmail={() => setEmailAsked(true)}
        />
      )}
    </form>
  )
}

function useSubmit(renewChallenge: () => void) {
  const enter = useEnter()
  const { remember } = useFreshCredentials()
  const navigate = useNavigate()
  const back = useReturn()
  return useAct({
    act: ({ challenge, ...credentials }: Sent) => signUp(credentials, challenge),
    onDone: ({ token }, { email, password }) => {
      if (token !== null) return enter()
      remember({ email, password })
      return navigate(back.via('/verify', { email, send: 'now' }))
    },
    onFailed: renewChallenge,
  })
}

interface Sent {
  readonly email: string
  readonly password: string
  readonly challenge: string | undefined
}
