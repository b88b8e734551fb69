import * as z from 'zod/mini'
import { fieldsOf, passwordRefusals } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { useMailedLink } from '../../routing/mailed-link.ts'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate, useNavigateNext, useSearchParams } from '../../routing/router.tsx'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { CodeInput } from '../../ui/controls/code-input.tsx'
import { NewPassword } from '../../ui/controls/new-password.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'

export function Reset() {
  const mailed = useMailedLink()
  const [search] = useSearchParams()
  const email = search.get('email')
  if (mailed) return <ResetForm {...mailed} />
  return email ? <ResetForm email={email} /> : <Navigate to="/forgot" replace />
}

interface Props {
  readonly email: string
  /** Replaces the code. */
  readonly link?: string
}

function ResetForm({ email, link }: Props) {
  const texts = useTexts()
  const back = useReturn()
  const navigate = useNavigateNext()
  const { sixDigits, newPassword } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ otp: link === undefined ? sixDigits : z.string(), password: newPassword }),
    initial: { otp: link ?? '', password: '' },
    refusals: {
      ...(link === undefined && { INVALID_OTP: ['otp'], OTP_EXPIRED: ['otp'], TOO_MANY_ATTEMPTS: ['otp'] }),
      ...passwordRefusals('password'),
    },
    act: (sent) => call('/api/auth/email-otp/reset-password', { email, ...sent }),
    onDone: () => {
      say(texts.reset.done, { isForNextPage: true })
      navigate(back.via('/sign-in', { email }), { replace: true })
    },
  })

  return (
    <Front
      title={texts.reset.title}
      lead={link === undefined ? texts.reset.lead(email) : texts.reset.linkLead(email)}
      below={<TextLink to={back.via('/forgot', { email })}>{texts.verify.resend}</TextLink>}
    >
      <Form form={form} submit={texts.reset.submit}>
        {link === undefined && <CodeInput {...form.field('otp')} label={texts.verify.code} />}
        <NewPassword {...form.field('password')} label={texts.reset.newPassword} of={email} />
      </Form>
    </Front>
  )
}
