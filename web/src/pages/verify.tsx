import { type FormEvent, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { codeProblem, emailProblem } from '../form.ts'
import { Front } from '../layout/front.tsx'
import { useReturn } from '../return-path.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { CodeInput } from '../ui/code-input.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/text-field.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { useConfirm } from './use-confirm.ts'
import { useResend } from './use-resend.ts'

/** `?email=` names the address; with `send=now` the code is asked for on arrival. */
export function Verify() {
  const [search] = useSearchParams()
  const email = search.get('email')
  return email ? <CodeStep key={email} email={email} /> : <EmailStep />
}

function EmailStep() {
  const texts = useTexts()
  const [email, setEmail] = useState('')
  const [isTried, setTried] = useState(false)
  const navigate = useNavigate()
  const back = useReturn()
  const problem = emailProblem(texts, email)

  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem) void navigate(back.via('/verify', { email: email.trim(), send: 'now' }))
  }
  return (
    <Front title={texts.verify.title} lead={texts.verify.askEmail}>
      <form noValidate onSubmit={send} className="flex flex-col gap-5">
        <TextField
          label={texts.common.email}
          type="email"
          autoComplete="username"
          value={email}
          onChange={setEmail}
          problem={isTried ? problem : undefined}
        />
        <Button type="submit" look="primary">
          {texts.verify.send}
        </Button>
      </form>
    </Front>
  )
}

function CodeStep({ email }: { readonly email: string }) {
  const texts = useTexts()
  const [code, setCode] = useState('')
  const [isTried, setTried] = useState(false)
  const resend = useResend(email)
  const confirm = useConfirm(email, () => setCode(''))
  const back = useReturn()
  const { verify } = texts

  const check = (entered: string) => {
    setCode(entered)
    confirm.reset()
    if (!codeProblem(texts, entered)) confirm.mutate(entered)
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!codeProblem(texts, code)) confirm.mutate(code)
  }
  return (
    <Front
      title={verify.title}
      lead={verify.lead(email)}
      below={<TextLink to={back.via('/sign-up')}>{verify.otherEmail}</TextLink>}
    >
      <form noValidate onSubmit={send} className="flex flex-col gap-5">
        <CodeInput
          label={verify.code}
          value={code}
          onChange={check}
          problem={isTried ? codeProblem(texts, code) : undefined}
        />
        <Failure error={confirm.error ?? resend.error} />
        <Button type="submit" look="primary" isPending={confirm.isPending}>
          {verify.submit}
        </Button>
        <Button look="plain" isDisabled={resend.left > 0} isPending={resend.isPending} onPress={resend.send}>
          {resend.left > 0 ? verify.resendIn(resend.left) : verify.resend}
        </Button>
      </form>
    </Front>
  )
}
