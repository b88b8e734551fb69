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
import { Failure } from '../../../ui/messages/failure.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { consoleKeys } from '../queries.ts'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { keptSecret, secret } from './part-fields.ts'
import { SecretField } from './secret-field.tsx'
import { usePart } from './use-part.ts'

export const EmailSettings = () => <StoredPart part="email" Form={EmailForm} />

const choices = ['none', 'smtp', 'api', 'outbox'] as const
type Choice = (typeof choices)[number]

const schema = z.object({
  provider: z.pipe(
    z.enum(choices),
    z.transform((choice: Choice) => (choice === 'none' ? null : choice)),
  ),
  api_key: secret,
})

function EmailForm({ document }: Stored<'email'>) {
  const { config } = useTexts()
  const { provider, available_providers, api_key_configured } = document
  const initial: z.input<typeof schema> = { provider: provider ?? 'none', api_key: keptSecret }
  const part = usePart({ part: 'email', document, page: 'email', initial, schema, secrets: ['api_key'] })
  const { form } = part
  return (
    <div className="flex flex-col gap-6">
      <PartCard title={config.email} lead={config.emailLead} part={part}>
        <Select
          {...form.field('provider')}
          label={config.provider}
          hint={config.providerChoiceHint}
          options={optionsOf(available_providers, config.mailProviders)}
        />
        {form.values.provider === 'api' && (
          <SecretField {...form.field('api_key')} label={config.apiKey} isConfigured={api_key_configured} />
        )}
      </PartCard>
      {provider !== null && <TestMail />}
    </div>
  )
}

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
    invalid: { to: texts.form.emailOdd },
    draft: 'test-mail',
    onSend: (sent) => send.mutate(sent),
  })
  const notSent = `${texts.failures.MAIL_NOT_SENT} ${send.error?.message ?? ''}`
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
        <div className="flex max-w-2xl flex-col gap-4">
          <TextField {...form.field('to')} label={common.email} type="email" />
          {send.data && <Notice look="done">{config.testMailSent(send.data.to)}</Notice>}
          <Failure error={form.failure} words={{ MAIL_NOT_SENT: notSent }} />
        </div>
      </Card>
    </form>
  )
}
