import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { useReturn } from '../../routing/return-path.ts'
import { useNavigateNext, useSearchParams } from '../../routing/router.tsx'
import { call } from '../../server/api.ts'
import { withChallenge } from '../../server/auth.ts'
import { useTexts } from '../../texts/texts.tsx'
import { useChallenge } from '../../ui/controls/challenge.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'

export function Forgot() {
  const texts = useTexts()
  const [search] = useSearchParams()
  const challenge = useChallenge()
  const navigate = useNavigateNext()
  const back = useReturn()
  const form = useForm({
    schema: z.object({ email: fieldsOf(texts).email }),
    initial: { email: search.get('email') ?? '' },
    act: async (sent) => call('/api/auth/email-otp/request-password-reset', sent, withChallenge(challenge.response())),
    onDone: (_, { email }) => navigate(back.via('/reset', { email })),
    onFailed: challenge.renew,
  })

  return (
    <Front
      title={texts.forgot.title}
      lead={texts.forgot.lead}
      below={<TextLink to={back.via('/sign-in')}>{texts.forgot.back}</TextLink>}
    >
      <Form form={form} submit={texts.forgot.submit}>
        <TextField {...form.field('email')} label={texts.common.email} type="email" autoComplete="username" />
        {challenge.widget}
      </Form>
    </Front>
  )
}
