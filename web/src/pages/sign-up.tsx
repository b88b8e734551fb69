import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Navigate, useNavigate } from 'react-router'
import { signUp } from '../auth.ts'
import { emailProblem, hasProblem, newPasswordProblem } from '../form.ts'
import { useFreshCredentials } from '../fresh-credentials.tsx'
import { Front } from '../layout/front.tsx'
import { useReturn } from '../return-path.ts'
import { useClientConfig, useEnter, useSession } from '../session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { useChallenge } from '../ui/challenge.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/text-field.tsx'
import { TextLink } from '../ui/text-link.tsx'
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
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const challenge = useChallenge()
  const submit = useSubmit(challenge.renew)

  const problems = { email: emailProblem(texts, email), password: newPasswordProblem(texts, password) }
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (hasProblem({ ...problems, challenge: challenge.problem })) return
    submit.mutate({ email: email.trim(), password, challenge: challenge.response })
  }

  return (
    <form noValidate onSubmit={send} className="flex flex-col gap-5">
      <TextField
        label={texts.common.email}
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        problem={isTried ? problems.email : undefined}
      />
      <TextField
        label={texts.common.password}
        type="password"
        name="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        hint={texts.signUp.passwordHint}
        problem={isTried ? problems.password : undefined}
      />
      {challenge.widget}
      <Failure error={submit.error} />
      <Button type="submit" look="primary" isPending={submit.isPending}>
        {texts.signUp.submit}
      </Button>
    </form>
  )
}

function useSubmit(renewChallenge: () => void) {
  const enter = useEnter()
  const { remember } = useFreshCredentials()
  const navigate = useNavigate()
  const back = useReturn()
  return useMutation({
    mutationFn: ({ challenge, ...credentials }: Sent) => signUp(credentials, challenge),
    onSuccess: ({ token }, { email, password }) => {
      if (token !== null) return enter()
      remember({ email, password })
      return navigate(back.via('/verify', { email, send: 'now' }))
    },
    onError: renewChallenge,
  })
}

interface Sent {
  readonly email: string
  readonly password: string
  readonly challenge: string | undefined
}
