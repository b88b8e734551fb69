import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Navigate, useNavigate, useSearchParams } from 'react-router'
import { resetPassword } from '../auth.ts'
import { codeProblem, hasProblem, newPasswordProblem } from '../form.ts'
import { Front } from '../layout/front.tsx'
import { useReturn } from '../return-path.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { CodeInput } from '../ui/code-input.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/text-field.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { useToast } from '../ui/toast.tsx'

export function Reset() {
  const [search] = useSearchParams()
  const email = search.get('email')
  return email ? <ResetForm email={email} /> : <Navigate to="/forgot" replace />
}

function ResetForm({ email }: { readonly email: string }) {
  const texts = useTexts()
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const back = useReturn()
  const navigate = useNavigate()
  const say = useToast()
  const problems = { code: codeProblem(texts, code), password: newPasswordProblem(texts, password) }

  const reset = useMutation({
    mutationFn: () => resetPassword({ email, otp: code, password }),
    onSuccess: () => {
      say(texts.reset.done)
      return navigate(back.via('/sign-in', { email }), { replace: true })
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!hasProblem(problems)) reset.mutate()
  }

  return (
    <Front
      title={texts.reset.title}
      lead={texts.reset.lead(email)}
      below={<TextLink to={back.via('/forgot', { email })}>{texts.verify.resend}</TextLink>}
    >
      <form noValidate onSubmit={send} className="flex flex-col gap-5">
        <CodeInput
          label={texts.verify.code}
          value={code}
          onChange={setCode}
          problem={isTried ? problems.code : undefined}
        />
        <input type="hidden" autoComplete="username" value={email} readOnly />
        <TextField
          label={texts.reset.newPassword}
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          hint={texts.signUp.passwordHint}
          problem={isTried ? problems.password : undefined}
        />
        <Failure error={reset.error} />
        <Button type="submit" look="primary" isPending={reset.isPending}>
          {texts.reset.submit}
        </Button>
      </form>
    </Front>
  )
}
