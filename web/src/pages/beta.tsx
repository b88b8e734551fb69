import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { dropDraft } from '../forms/draft.ts'
import { fieldsOf } from '../forms/fields.ts'
import { useForm } from '../forms/form.ts'
import { Front } from '../layout/front.tsx'
import { SignedInAs } from '../layout/signed-in-as.tsx'
import { useReturn } from '../routing/return-path.ts'
import { Navigate, useNavigate } from '../routing/router.tsx'
import { useAct } from '../server/act.ts'
import { ApiError, call, type Input } from '../server/api.ts'
import { gateKey } from '../server/query-client.ts'
import { useClientConfig, useSession } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { say } from '../toasts.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { Failure } from '../ui/messages/failure.tsx'

export function Beta() {
  const texts = useTexts()
  const { app_name } = useClientConfig()
  const { data: signedIn } = useSession()
  const back = useReturn()
  const bind = useBind()
  const form = useForm({
    schema: z.object({ beta_code: fieldsOf(texts).required }),
    initial: { beta_code: '' },
    error: bind.error,
    draft: 'beta-code',
    refusals: { INVALID_BETA_CODE: ['beta_code'] },
    onSend: (sent) => bind.mutate(sent),
  })
  if (signedIn === null) return <Navigate to={back.via('/sign-in')} replace />

  return (
    <Front
      title={texts.beta.title}
      lead={texts.beta.lead(app_name)}
      below={signedIn && <SignedInAs email={signedIn.user.email} />}
    >
      <form {...form.props} className="flex flex-col gap-5">
        <TextField {...form.field('beta_code')} label={texts.beta.code} mono autoComplete="off" />
        <Failure error={form.failure} />
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

  const open = async () => {
    dropDraft('beta-code')
    queryClient.setQueryData(gateKey, 'open')
    await navigate(back.path, { replace: true })
  }
  return useAct({
    act: (sent: Input<'/api/bind_beta_code'>) => call('/api/bind_beta_code', sent),
    onDone: () => {
      say(beta.done, { isForNextPage: true })
      return open()
    },
    onFailed: (error) => {
      if (error instanceof ApiError && error.code === 'BETA_CODE_ALREADY_BOUND') void open()
    },
  })
}
