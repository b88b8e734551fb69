import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Navigate, useNavigate } from 'react-router'
import { ApiError, call } from '../api.ts'
import { missingProblem } from '../form.ts'
import { Front } from '../layout/front.tsx'
import { gateKey } from '../query-client.ts'
import { useReturn } from '../return-path.ts'
import { useClientConfig, useSession, useSignOut } from '../session.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useToast } from '../ui/toast.tsx'

export function Beta() {
  const texts = useTexts()
  const { app_name } = useClientConfig()
  const { data: signedIn } = useSession()
  const [code, setCode] = useState('')
  const [isTried, setTried] = useState(false)
  const back = useReturn()
  const signOut = useSignOut('/sign-in')
  const bind = useBind()
  const problem = missingProblem(texts.form.required, code)
  if (signedIn === null) return <Navigate to={back.via('/sign-in')} replace />

  const send = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!problem) bind.mutate(code.trim())
  }
  return (
    <Front
      title={texts.beta.title}
      lead={texts.beta.lead(app_name)}
      below={
        signedIn && (
          <>
            {texts.beta.signedInAs(signedIn.user.email)}{' '}
            <Button look="plain" size="small" isPending={signOut.isPending} onPress={() => signOut.mutate()}>
              {texts.nav.signOut}
            </Button>
          </>
        )
      }
    >
      <form noValidate onSubmit={send} className="flex flex-col gap-5">
        <TextField
          label={texts.beta.code}
          value={code}
          onChange={setCode}
          mono
          autoComplete="off"
          problem={isTried ? problem : undefined}
        />
        <Failure error={bind.error} />
        <Button type="submit" look="primary" isPending={bind.isPending}>
          {texts.beta.submit}
        </Button>
      </form>
    </Front>
  )
}

function useBind() {
  const { beta } = useTexts()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const back = useReturn()
  const say = useToast()

  const open = async () => {
    queryClient.setQueryData(gateKey, 'open')
    await navigate(back.path, { replace: true })
  }
  return useMutation({
    mutationFn: (beta_code: string) => call('/api/bind_beta_code', { beta_code }),
    onSuccess: () => {
      say(beta.done)
      return open()
    },
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'BETA_CODE_ALREADY_BOUND') void open()
    },
  })
}
