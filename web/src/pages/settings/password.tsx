import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldsOf, passwordRefusals } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { NewPassword } from '../../ui/controls/new-password.tsx'
import { OwnPassword } from '../../ui/controls/own-password.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import { FormCard } from '../../ui/form.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { accountsQuery } from './queries.ts'

export function Password() {
  const { password, settings } = useTexts()
  const accounts = useQuery(accountsQuery)
  if (accounts.data?.some(({ providerId }) => providerId === 'credential')) return <PasswordForm />
  return (
    <Card title={settings.password}>
      <Loaded query={accounts}>
        {() => <EmptyState icon="key" title={password.noneTitle} text={password.noneText} />}
      </Loaded>
    </Card>
  )
}

function PasswordForm() {
  const texts = useTexts()
  const { password, sessions, reset, settings } = texts
  const fields = fieldsOf(texts)
  const form = useForm({
    schema: z.object({
      currentPassword: fields.password,
      newPassword: fields.newPassword,
      revokeOtherSessions: z.boolean(),
    }),
    initial: { currentPassword: '', newPassword: '', revokeOtherSessions: true },
    refusals: {
      INVALID_EMAIL_OR_PASSWORD: ['currentPassword', texts.form.passwordWrong],
      ...passwordRefusals('newPassword'),
    },
    clears: true,
    act: (sent) => call('/api/auth/change-password', sent),
    done: password.saved,
    refreshes: [[]],
  })

  return (
    <FormCard form={form} title={settings.password} lead={password.lead} submit={password.submit}>
      <OwnPassword {...form.field('currentPassword')} label={password.current} />
      <NewPassword {...form.field('newPassword')} label={reset.newPassword} />
      <Switch {...form.field('revokeOtherSessions')} label={sessions.endOthers} />
    </FormCard>
  )
}
