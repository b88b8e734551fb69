import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../api.ts'
import { signIn } from '../auth.ts'
import { emailProblem, hasProblem, missingProblem } from '../form.ts'
import { useReturn } from '../return-path.ts'
import { useClientConfig, useEnter } from '../session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { useChallenge } from '../ui/challenge.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/text-field.tsx'
import { TextLink } from '../ui/text-link.tsx'

export function PasswordForm() {
  const texts = useTexts()
  const { forgot_password_shown } = useClientConfig()
  const [search] = useSearchParams()
  const [email, setEmail] = useState(search.get('email') ?? '')
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const challenge = useChallenge()
  const back = useReturn()
  const submit = useSubmit(email, challenge.renew)

  const problems = {
    email: emailProblem(texts, email),
    password: missingProblem(texts.form.passwordMissing, password),
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (hasProblem({ ...problems, challenge: challenge.problem })) return
    submit.mutate({ password, challenge: challenge.response })
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
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        problem={isTried ? problems.password : undefined}
        corner={
          forgot_password_shown && (
            <span className="text-[0.867rem]">
              <TextLink to={back.via('/forgot', email ? { email } : {})}>{texts.signIn.forgot}</TextLink>
            </span>
          )
        }
      />
      {challenge.widget}
      <Failure error={submit.error} />
      <Button type="submit" look="primary" isPending={submit.isPending}>
        {texts.signIn.submit}
      </Button>
    </form>
  )
}

function useSubmit(email: string, renewChallenge: () => void) {
  const enter = useEnter()
  const navigate = useNavigate()
  const back = useReturn()
  return useMutation({
    mutationFn: (sent: { password: string; challenge: string | undefined }) =>
      signIn({ email: email.trim(), password: sent.password }, sent.challenge),
    onSuccess: enter,
    onError: (error) => {
      renewChallenge()
      if (error instanceof ApiError && error.code === 'EMAIL_NOT_VERIFIED') {
        void navigate(back.via('/verify', { email: email.trim(), send: 'now' }))
      }
    },
  })
}
