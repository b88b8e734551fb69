import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldsOf } from '../../forms/fields.ts'
import { useForm } from '../../forms/form.ts'
import { useAct } from '../../server/act.ts'
import { changePassword } from '../../server/auth.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Switch } from '../../ui/controls/switch.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { accountsQuery } from './queries.ts'

export function Password() {
  const { password } = useTexts()
  const accounts = useQuery(accountsQuery)
  if (accounts.data?.some(({ providerId }) => providerId === 'credential')) return <PasswordForm />
  return (
    <Card title={password.title}>
      <Loaded query={accounts}>
        {() => <EmptyState icon="key" title={password.noneTitle} text={password.noneText} />}
      </Loaded>
    </Card>
  )
}

function PasswordForm() {
  const texts = useTexts()
  const { password } = texts
  const change = useAct({ act: changePassword, done: password.saved, refreshes: [[]] })
  const fields = fieldsOf(texts)
  const form = useForm({
    schema: z.object({
      currentPassword: fields.password,
      newPassword: fields.newPassword,
      revokeOtherSessions: z.boolean(),
    }),
    initial: { currentPassword: '', newPassword: '', revokeOtherSessions: true },
    error: change.error,
    refusals: {
      INVALID_EMAIL_OR_PASSWORD: ['currentPassword', texts.form.passwordWrong],
      PASSWORD_TOO_SHORT: ['newPassword'],
      PASSWORD_TOO_LONG: ['newPassword'],
      PASSWORD_COMPROMISED: ['newPassword'],
    },
    onSend: (sent) => change.mutate(sent, { onSuccess: () => form.clear() }),
  })

  return (
    <form {...form.props}>
      <Card
        title={password.title}
        lead={password.lead}
        footer={
          <Button type="submit" look="primary" isPending={change.isPending}>
            {password.submit}
          </Button>
        }
      >
        <div className="flex max-w-xl flex-col gap-5">
          <TextField
            {...form.field('currentPassword')}
            label={password.current}
            type="password"
            autoComplete="current-password"
          />
          <TextField
            {...form.field('newPassword')}
            label={password.next}
            type="password"
            autoComplete="new-password"
            hint={texts.signUp.passwordHint}
          />
          <Switch
            label={password.endOthers}
            isSelected={form.values.revokeOtherSessions}
            onChange={(revokeOtherSessions) => form.set({ revokeOtherSessions })}
          />
          <Failure error={form.failure} />
        </div>
      </Card>
    </form>
  )
}
