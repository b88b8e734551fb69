import { useState } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { call } from '../../server/api.ts'
import { sessionQuery } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { CodeInput } from '../../ui/controls/code-input.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { FormCard } from '../../ui/form.tsx'

/** Asks for the new address, then for the code that was sent there. */
export function EmailCard() {
  const [asked, ask] = useState<string>()
  return asked === undefined ? <Wish onAsked={ask} /> : <Proof email={asked} onDone={() => ask(undefined)} />
}

function Wish({ onAsked }: { onAsked(email: string): void }) {
  const texts = useTexts()
  const { profile } = texts
  const form = useForm({
    schema: z.object({ newEmail: fieldsOf(texts).email }),
    initial: { newEmail: '' },
    draft: 'new-address',
    clears: true,
    act: (sent) => call('/api/auth/change-email', sent),
    onDone: (_, { newEmail }) => onAsked(newEmail),
  })
  return (
    <FormCard form={form} title={profile.changeEmail} lead={profile.changeEmailLead} submit={texts.forgot.submit}>
      <TextField {...form.field('newEmail')} label={profile.newEmail} type="email" autoComplete="email" />
    </FormCard>
  )
}

function Proof({ email, onDone }: { readonly email: string; onDone(): void }) {
  const texts = useTexts()
  const { profile, verify } = texts
  const form = useForm({
    schema: z.object({ otp: fieldsOf(texts).sixDigits }),
    initial: { otp: '' },
    refusals: { INVALID_OTP: ['otp'], OTP_EXPIRED: ['otp'], TOO_MANY_ATTEMPTS: ['otp'] },
    act: ({ otp }) => call('/api/auth/email-otp/verify-email', { email, otp }),
    done: profile.emailChanged,
    refreshes: [sessionQuery.queryKey],
    onDone,
  })
  return (
    <FormCard form={form} title={profile.changeEmail} lead={verify.lead(email)} submit={profile.changeEmail}>
      <CodeInput {...form.field('otp')} label={verify.code} />
    </FormCard>
  )
}
