import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router'
import { call } from '../api.ts'
import { missingProblem } from '../form.ts'
import { Front } from '../layout/front.tsx'
import { useSession } from '../session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { TextField } from '../ui/text-field.tsx'
import { TextLink } from '../ui/text-link.tsx'

/** Begins what a client asks for; without a request in the address, asks for a device's code. */
export function Authorize() {
  const { data: signedIn } = useSession()
  const { pathname, search } = useLocation()
  const [asked] = useSearchParams()
  if (signedIn === undefined) return <Preparing />
  if (signedIn === null) {
    return <Navigate to={`/sign-in?${new URLSearchParams({ next: pathname + search })}`} replace />
  }
  const hasRequest = asked.has('client_id') || asked.has('user_code')
  return hasRequest ? <Begin key={search} query={Object.fromEntries(asked)} /> : <AskForCode />
}

function Preparing() {
  const { authorize } = useTexts()
  return (
    <Front title={authorize.title}>
      <p className="flex items-center gap-3 text-ink-soft">
        <Spinner /> {authorize.preparing}
      </p>
    </Front>
  )
}

function useBegin() {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (query: Record<string, string>) => call('/api/oauth/begin_authorization', query),
    onSuccess: ({ request_id, redirect_to }) => {
      if (redirect_to) location.assign(redirect_to)
      if (request_id)
        return navigate(`/oauth/consent?${new URLSearchParams({ request_id })}`, { replace: true })
    },
  })
}

function Begin({ query }: { readonly query: Record<string, string> }) {
  const { authorize } = useTexts()
  const { mutate, error } = useBegin()
  const hasBegun = useRef(false)

  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    mutate(query)
  }, [mutate, query])

  if (!error) return <Preparing />
  return (
    <Front
      title={authorize.failedTitle}
      lead={authorize.failedText}
      below={<TextLink to="/oauth/authorize">{authorize.enterCode}</TextLink>}
    >
      <Failure error={error} words={authorize.failures} />
    </Front>
  )
}

function AskForCode() {
  const { authorize, form } = useTexts()
  const [code, setCode] = useState('')
  const [isTried, setTried] = useState(false)
  const begin = useBegin()
  const problem = missingProblem(form.required, code)

  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem) begin.mutate({ user_code: code.trim() })
  }
  return (
    <Front title={authorize.title} lead={authorize.lead}>
      <form noValidate onSubmit={send} className="flex flex-col gap-5">
        <TextField
          label={authorize.code}
          value={code}
          onChange={(typed) => setCode(typed.toUpperCase())}
          hint={authorize.codeHint}
          placeholder="XXXX-XXXX"
          mono
          autoComplete="off"
          maxLength={16}
          problem={isTried ? problem : undefined}
        />
        <Failure error={begin.error} words={authorize.failures} />
        <Button type="submit" look="primary" isPending={begin.isPending}>
          {authorize.submit}
        </Button>
      </form>
    </Front>
  )
}
