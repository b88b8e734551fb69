import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { Front } from '../../layout/front.tsx'
import { SignedInAs } from '../../layout/signed-in-as.tsx'
import { type MailedLink, useMailedLink } from '../../routing/mailed-link.ts'
import { useReturn } from '../../routing/return-path.ts'
import { useNavigate, useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { useClientConfig, useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { CodeInput } from '../../ui/controls/code-input.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Form } from '../../ui/form.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { useConfirmation } from '../use-confirmation.ts'
import { useResend } from './use-resend.ts'

/**
 * A mailed link has everything that is needed; else `?email=` names the address, and `send=now` asks for a
 * code.
 */
export function Verify() {
  const mailed = useMailedLink()
  const [search] = useSearchParams()
  const email = search.get('email')
  if (mailed) return <LinkStep {...mailed} />
  return email ? <CodeStep key={email} email={email} /> : <EmailStep />
}

/** Requires a click, because mail scanners open links too. */
function LinkStep({ email, link }: MailedLink) {
  const { verify } = useTexts()
  const confirm = useAct(useConfirmation(email, () => undefined))
  const back = useReturn()
  return (
    <Front
      title={verify.title}
      lead={verify.linkLead(email)}
      below={<TextLink to={back.via('/verify', { email })}>{verify.enterCode}</TextLink>}
    >
      <div className="flex flex-col gap-5">
        <Failure error={confirm.error} />
        <Button look="primary" isPending={confirm.isPending} onPress={() => confirm.mutate({ otp: link })}>
          {verify.submit}
        </Button>
      </div>
    </Front>
  )
}

function EmailStep() {
  const texts = useTexts()
  const navigate = useNavigate()
  const back = useReturn()
  const form = useForm({
    schema: z.object({ email: fieldsOf(texts).email }),
    initial: { email: '' },
    act: async ({ email }) => navigate(back.via('/verify', { email, send: 'now' })),
  })
  return (
    <Front title={texts.verify.title} lead={texts.forgot.lead}>
      <Form form={form} submit={texts.forgot.submit}>
        <TextField {...form.field('email')} label={texts.common.email} type="email" autoComplete="username" />
      </Form>
    </Front>
  )
}

function CodeStep({ email }: { readonly email: string }) {
  const texts = useTexts()
  const { verify, forgot } = texts
  const resend = useResend(email)
  const back = useReturn()
  const isRequired = useIsRequired(email)
  const isAsked = resend.isSent || !isRequired
  const form = useForm({
    schema: z.object({ otp: fieldsOf(texts).sixDigits }),
    initial: { otp: '' },
    ...useConfirmation(email, () => form.set({ otp: '' })),
  })
  const retype = (otp: string) => {
    form.set({ otp })
    form.reset()
  }
  const again = (
    <Button look="plain" isDisabled={resend.left > 0} isPending={resend.isPending} onPress={resend.send}>
      {resend.left > 0 ? verify.resendIn(resend.left) : isAsked ? verify.resend : forgot.submit}
    </Button>
  )
  return (
    <Front
      title={verify.title}
      lead={isAsked ? (resend.isSent ? verify.lead : verify.leadUnsent)(email) : verify.leadRequired(email)}
      below={
        isRequired ? <SignedInAs email={email} /> : <TextLink to={back.via('/sign-up')}>{verify.otherEmail}</TextLink>
      }
    >
      <Form form={{ ...form, failure: form.failure ?? resend.error }} submit={verify.submit} more={again}>
        <CodeInput {...form.field('otp')} label={verify.code} onChange={retype} onComplete={() => form.send()} />
      </Form>
    </Front>
  )
}

/** The signed-in user can do nothing else until this address is confirmed. */
function useIsRequired(email: string): boolean {
  const { data: signedIn } = useSession()
  const { email_verification_required } = useClientConfig()
  return email_verification_required && signedIn?.user.email === email && !signedIn.user.emailVerified
}
