import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { useNavigate, useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { requestPasswordReset } from '../../server/auth.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { useChallenge } from '../../ui/controls/challenge.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

interface Sent {
  readonly email: string
  readonly challenge: string | undefined
}

export function Forgot() {
  const texts = useTexts()
  const [search] = useSearchParams()
  const challenge = useChallenge()
  const navigate = useNavigate()
  const back = useReturn()
  const request = useAct({
    act: (sent: Sent) => requestPasswordReset(sent.email, sent.challenge),
    onDone: (_, { email }) => navigate(back.via('/reset', { email })),
    onFailed: challenge.renew,
  })
  const form = useForm({
    schema: z.object({ email: fieldsOf(texts).email }),
    initial: { email: search.get('email') ?? '' },
    error: request.error,
    onSend: ({ email }) => challenge.use((response) => request.mutate({ email, challenge: response })),
  })

  return (
    <Front
      title={texts.forgot.title}
      lead={texts.forgot.lead}
      below={<TextLink to={back.via('/sign-in')}>{texts.forgot.back}</TextLink>}
    >
      <form {...form.props} className="flex flex-col gap-5">
        <TextField {...form.field('email')} label={texts.common.email} type="email" autoComplete="username" />
        {challenge.widget}
        <Failure error={form.failure} />
        <Button type="submit" look="primary" isPending={request.isPending}>
          {texts.forgot.submit}
        </Button>
      </form>
    </Front>
  )
}
