import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { dropDraft } from '../forms/draft.ts'
import { fieldsOf } from '../forms/fields.ts'
import { useForm } from '../forms/form.ts'
import { Front } from '../layout/front.tsx'
import { SignedInAs } from '../layout/signed-in-as.tsx'
import { useReturn } from '../routing/return-path.ts'
import { Navigate, useNavigateNext } from '../routing/router.tsx'
import { ApiError, call } from '../server/api.ts'
import { gateKey } from '../server/query-client.ts'
import { useClientConfig, useSession } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { say } from '../toasts.ts'
import { TextField } from '../ui/controls/text-field.tsx'
import { Form } from '../ui/form.tsx'

export function Beta() {
  const texts = useTexts()
  const { app_name } = useClientConfig()
  const { data: signedIn } = useSession()
  const back = useReturn()
  const open = useOpenGate()
  const form = useForm({
    schema: z.object({ beta_code: fieldsOf(texts).required }),
    initial: { beta_code: '' },
    draft: 'beta-code',
    refusals: { INVALID_BETA_CODE: ['beta_code'] },
    act: (sent) => call('/api/bind_beta_code', sent),
    onDone: () => {
      say(texts.beta.done, { isForNextPage: true })
      open()
    },
    onFailed: (error) => {
      if (error instanceof ApiError && error.code === 'BETA_CODE_ALREADY_BOUND') open()
    },
  })
  if (signedIn === null) return <Navigate to={back.via('/sign-in')} replace />

  return (
    <Front
      title={texts.beta.title}
      lead={texts.beta.lead(app_name)}
      below={signedIn && <SignedInAs email={signedIn.user.email} />}
    >
      <Form form={form} submit={texts.common.continue}>
        <TextField {...form.field('beta_code')} label={texts.beta.code} mono autoComplete="off" />
      </Form>
    </Front>
  )
}

function useOpenGate() {
  const queryClient = useQueryClient()
  const navigate = useNavigateNext()
  const { path } = useReturn()
  return () => {
    dropDraft('beta-code')
    queryClient.setQueryData(gateKey, 'open')
    navigate(path, { replace: true })
  }
}
