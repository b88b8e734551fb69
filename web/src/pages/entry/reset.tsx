import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { useMailedLink } from '../../routing/mailed-link.ts'
import { useReturn } from '../../routing/return-path.ts'
import { Navigate, useNavigate, useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { resetPassword } from '../../server/auth.ts'
import { useTexts } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { CodeInput } from '../../ui/controls/code-input.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

export function Reset() {
  const mailed = useMailedLink()
  const [search] = useSearchParams()
  const email = search.get('email')
  if (mailed) return <ResetForm {...mailed} />
  return email ? <ResetForm email={email} /> : <Navigate to="/forgot" replace />
}

interface Props {
  readonly email: string
  /** Stands for the code. */
  readonly link?: string
}

function ResetForm({ email, link }: Props) {
  const texts = useTexts()
  const back = useReturn()
  const reset = useReset(email)
  const { sixDigits, newPassword } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ otp: link === undefined ? sixDigits : z.string(), password: newPassword }),
    initial: { otp: link ?? '', password: '' },
    error: reset.error,
    refusals: {
      ...(link === undefined && {
        INVALID_OTP: ['otp'],
        OTP_EXPIRED: ['otp'],
        TOO_MANY_ATTEMPTS: ['otp'],
      }),
      PASSWORD_TOO_SHORT: ['password'],
      PASSWORD_TOO_LONG: ['password'],
      PASSWORD_COMPROMISED: ['password'],
    },
    onSend: (sent) => reset.mutate(sent),
  })

  return (
    <Front
      title={texts.reset.title}
      lead={link === undefined ? texts.reset.lead(email) : texts.reset.linkLead(email)}
      below={<TextLink to={back.via('/forgot', { email })}>{texts.verify.resend}</TextLink>}
    >
      <form {...form.props} className="flex flex-col gap-5">
        {link === undefined && <CodeInput {...form.field('otp')} label={texts.verify.code} />}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <TextField
          {...form.field('password')}
          label={texts.reset.newPassword}
          type="password"
          autoComplete="new-password"
          hint={texts.signUp.passwordHint}
        />
        <Failure error={form.failure} />
        <Button type="submit" look="primary" isPending={reset.isPending}>
          {texts.reset.submit}
        </Button>
      </form>
    </Front>
  )
}

function useReset(email: string) {
  const { reset } = useTexts()
  const navigate = useNavigate()
  const back = useReturn()
  return useAct({
    act: (sent: { readonly otp: string; readonly password: string }) => resetPassword({ email, ...sent }),
    onDone: () => {
      say(reset.done, { isForNextPage: true })
      return navigate(back.via('/sign-in', { email }), { replace: true })
    },
  })
}
