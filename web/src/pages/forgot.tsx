import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { requestPasswordReset } from '../auth.ts'
import { emailProblem } from '../form.ts'
import { Front } from '../layout/front.tsx'
import { useReturn } from '../return-path.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { useChallenge } from '../ui/challenge.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/text-field.tsx'
import { TextLink } from '../ui/text-link.tsx'

export function Forgot() {
  const texts = useTexts()
  const [search] = useSearchParams()
  const [email, setEmail] = useState(search.get('email') ?? '')
  const [isTried, setTried] = useState(false)
  const challenge = useChallenge()
  const navigate = useNavigate()
  const back = useReturn()
  const problem = emailProblem(texts, email)

  const request = useMutation({
    mutationFn: () => requestPasswordReset(email.trim(), challenge.response),
    onSuccess: () => navigate(back.via('/reset', { email: email.trim() })),
    onError: challenge.renew,
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem && !challenge.problem) request.mutate()
  }

  return (
    <Front
      title={texts.forgot.title}
      lead={texts.forgot.lead}
      below={<TextLink to={back.via('/sign-in')}>{texts.forgot.back}</TextLink>}
    >
      <form noValidate onSubmit={send} className="flex flex-col gap-5">
        <TextField
          label={texts.common.email}
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          problem={isTried ? problem : undefined}
        />
        {challenge.widget}
        <Failure error={request.error} />
        <Button type="submit" look="primary" isPending={request.isPending}>
          {texts.forgot.submit}
        </Button>
      </form>
    </Front>
  )
}
