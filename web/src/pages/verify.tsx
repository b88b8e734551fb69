import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../api.ts'
import { sendVerificationCode, signIn, verifyEmail } from '../auth.ts'
import { useCountdown } from '../countdown.ts'
import { codeProblem, emailProblem } from '../form.ts'
import { useFreshCredentials } from '../fresh-credentials.tsx'
import { Front } from '../layout/front.tsx'
import { useReturn } from '../return-path.ts'
import { useClientConfig, useEnter, useSession } from '../session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { CodeInput } from '../ui/code-input.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/text-field.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { useToast } from '../ui/toast.tsx'

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

function useConfirm(email: string, clear: () => void) {
  const { verify } = useTexts()
  const { data: signedIn } = useSession()
  const signInFreshly = useFreshSignIn(email)
  const enter = useEnter()
  const navigate = useNavigate()
  const back = useReturn()
  const say = useToast()
  return useMutation({
    mutationFn: async (code: string) => {
      await verifyEmail(email, code)
      return signedIn ? true : signInFreshly()
    },
    onSuccess: async (isSignedIn) => {
      say(isSignedIn ? verify.confirmed : verify.done)
      if (isSignedIn) await enter()
      await navigate(isSignedIn ? back.path : back.via('/sign-in', { email }), { replace: true })
    },
    onError: clear,
  })
}

/** With the password of the sign-up just before; without one, or where it is refused, the page asks. */
function useFreshSignIn(email: string) {
  const { credentials, remember } = useFreshCredentials()
  const { challenge_site_key } = useClientConfig()
  return async () => {
    if (credentials?.email !== email || challenge_site_key !== null) return false
    remember(undefined)
    return signIn(credentials).then(
      () => true,
      () => false,
    )
  }
}

function useResend(email: string) {
  const { verify } = useTexts()
  const { cooldown_seconds } = useClientConfig()
  const [search, setSearch] = useSearchParams()
  const { left, start } = useCountdown()
  const say = useToast()
  const hasAsked = useRef(false)
  const sending = useMutation({
    mutationFn: () => sendVerificationCode(email),
    onSuccess: () => start(cooldown_seconds),
    onError: (error) => {
      if (error instanceof ApiError && error.retryAfterSeconds) start(error.retryAfterSeconds)
    },
  })
  const shouldSend = search.get('send') === 'now'

  useEffect(() => {
    if (!shouldSend || hasAsked.current) return
    hasAsked.current = true
    sending.mutate()
    setSearch(
      (before) => {
        before.delete('send')
        return before
      },
      { replace: true },
    )
  }, [shouldSend, sending, setSearch])

  const send = () => sending.mutate(undefined, { onSuccess: () => say(verify.resent) })
  return { left, send, isPending: sending.isPending, error: sending.error }
}
