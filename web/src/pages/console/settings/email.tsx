import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Reasons } from '../../../ui/messages/reasons.tsx'
import { consoleKeys } from '../queries.ts'
import { PartCard, PartLoading } from './part-card.tsx'
import { SecretField } from './secret-field.tsx'
import { usePart } from './use-part.ts'

export function EmailSettings() {
  const { config } = useTexts()
  const part = usePart('email')
  const { document } = part
  if (!document) return <PartLoading part={part} />

  const now = { ...document, ...part.changes }
  return (
    <div className="flex flex-col gap-6">
      <PartCard title={config.email} lead={config.emailLead} part={part}>
        <Select
          label={config.provider}
          hint={config.providerChoiceHint}
          value={now.provider ?? 'none'}
          options={optionsOf(document.available_providers, config.mailProviders)}
          onChange={(choice) => part.change({ provider: choice === 'none' ? null : choice })}
        />
        {now.provider === 'api' && (
          <SecretField
            label={config.apiKey}
            isConfigured={document.api_key_configured}
            change={part.changes.api_key}
            onChange={(api_key) => part.change({ api_key })}
          />
        )}
      </PartCard>
      {document.provider !== null && <TestMail />}
    </div>
  )
}

type Choice = 'none' | 'smtp' | 'api' | 'outbox'

/** Only what this deployment can offer. */
function optionsOf(
  available: readonly Choice[],
  names: Readonly<Record<Choice, string>>,
): Record<Choice, string> {
  const offered = Object.entries(names).filter(
    ([name]) => name === 'none' || available.some((one) => one === name),
  )
  return Object.fromEntries(offered) as Record<Choice, string>
}

function TestMail() {
  const texts = useTexts()
  const { config, common } = texts
  const { user } = useSignedIn()
  const send = useAct({
    act: async (sent: { readonly to: string }) => {
      await call('/api/admin/send_test_email', sent)
      return sent
    },
    refreshes: [consoleKeys.overview],
  })
  const form = useForm({
    schema: z.object({ to: fieldsOf(texts).email }),
    initial: { to: user.email },
    error: send.error,
    draft: 'test-mail',
    onSend: (sent) => send.mutate(sent),
  })
  return (
    <form {...form.props}>
      <Card
        title={config.testMail}
        lead={config.testMailLead}
        footer={
          <Button type="submit" isPending={send.isPending}>
            {config.testMailSend}
          </Button>
        }
      >
        <div className="flex max-w-xl flex-col gap-4">
          <TextField {...form.field('to')} label={common.email} type="email" />
          {send.data && <Notice look="done">{config.testMailSent(send.data.to)}</Notice>}
          <Reasons error={send.error} />
        </div>
      </Card>
    </form>
  )
}
