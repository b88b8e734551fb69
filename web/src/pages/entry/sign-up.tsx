import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf, passwordRefusals } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { useFreshCredentials } from '../../forms/fresh-credentials.tsx'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate, useNavigateNext } from '../../routing/router.tsx'
import type { ActOptions } from '../../server/act.ts'
import { type NewAccount, signUp } from '../../server/auth.ts'
import { hasPasskeys } from '../../server/passkeys/passkeys.ts'
import { isAdding, useClientConfig, useEnter, useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { type Challenge, useChallenge } from '../../ui/controls/challenge.tsx'
import { NewPassword } from '../../ui/controls/new-password.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'
import { PasskeySignUp } from './passkey-sign-up.tsx'
import { ProviderButtons } from './provider-buttons.tsx'

export function SignUp() {
  const { signUp: texts, signIn } = useTexts()
  const { registration_enabled } = useClientConfig()
  const { data: signedIn } = useSession()
  const back = useReturn()
  if (signedIn && !isAdding()) return <Navigate to={back.path} replace />

  const below = (
    <>
      {texts.haveAccount} <TextLink to={back.via('/sign-in')}>{signIn.submit}</TextLink>
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
  const { passkey_sign_up_enabled } = useClientConfig()
  const [isEmailAsked, setEmailAsked] = useState(false)
  const { email, newPassword, optional } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ email, password: newPassword, name: optional }),
    initial: { email: '', password: '', name: '' },
    refusals: {
      EMAIL_DOMAIN_NOT_ALLOWED: ['email'],
      USER_ALREADY_EXISTS: ['email'],
      ...passwordRefusals('password'),
    },
    ...useSignUp(challenge),
  })

  const typed = z.safeParse(email, form.values.email)
  const emailField = form.field('email')
  const missing = isEmailAsked && !typed.success ? texts.secondStep.signUpNeedsEmail : undefined
  const passkey = passkey_sign_up_enabled && hasPasskeys && (
    <PasskeySignUp
      email={typed.success ? typed.data : undefined}
      name={form.values.name.trim()}
      challenge={challenge}
      onMissingEmail={() => setEmailAsked(true)}
    />
  )
  return (
    <Form form={form} submit={texts.signUp.submit} more={passkey}>
      <TextField
        {...emailField}
        problem={emailField.problem ?? missing}
        label={texts.common.email}
        type="email"
        autoComplete="username"
      />
      <NewPassword {...form.field('password')} label={texts.common.password} />
      <TextField {...form.field('name')} label={texts.signUp.name} autoComplete="name" maxLength={200} />
      {challenge.widget}
    </Form>
  )
}

function useSignUp(challenge: Challenge): ActOptions<NewAccount, Awaited<ReturnType<typeof signUp>>> {
  const enter = useEnter()
  const { remember } = useFreshCredentials()
  const navigate = useNavigateNext()
  const back = useReturn()
  return {
    act: async (account) => signUp(account, challenge.response()),
    onDone: ({ token }, { email, password }) => {
      if (token !== null) return enter()
      remember({ email, password })
      navigate(back.via('/verify', { email, send: 'now' }))
    },
    onFailed: challenge.renew,
  }
}
