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
import { MailDomain } from './mail-domain.tsx'
import { type MailService, serviceOf, valuesOf } from './mail-services.ts'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { keptSecret, secret, text, wholeNumber } from './part-fields.ts'
import { SecretField } from './secret-field.tsx'
import { usePart } from './use-part.ts'

export const EmailSettings = () => <StoredPart part="email" Form={EmailForm} />

const schemaOf = (portProblem: string) =>
  z.object({
    provider: z.nullable(z.enum(['smtp', 'api', 'outbox'])),
    api_key: secret,
    smtp_host: text,
    smtp_port: wholeNumber(65_535, portProblem),
    smtp_user: text,
    smtp_password: secret,
  })

type Document = Stored<'email'>['document']

function useMailPart(document: Document, onSaved: (saved: Document) => unknown) {
  const { config } = useTexts()
  const { provider, smtp_host, smtp_user, smtp_port } = document
  return usePart({
    part: 'email',
    document,
    page: 'email',
    initial: {
      ...{ provider, smtp_host, smtp_user, smtp_port: String(smtp_port) },
      ...{ api_key: keptSecret, smtp_password: keptSecret },
    },
    schema: schemaOf(config.problems.smtp_port),
    secrets: ['api_key', 'smtp_password'],
    onSaved,
  })
}

function EmailForm({ document }: Stored<'email'>) {
  const { config } = useTexts()
  const { user } = useSignedIn()
  const test = useTestLetter()
  const part = useMailPart(document, ({ provider }) => provider !== null && test.mutate({ to: user.email }))
  const { field, set, values } = part.form
  return (
    <div className="flex flex-col gap-6">
      <PartCard
        title={config.email}
        lead={config.emailLead}
        part={part}
        save={values.provider === null ? undefined : config.saveAndTest}
      >
        <Select
          label={config.fields.provider}
          name="provider"
          problem={field('provider').problem}
          value={serviceOf(values)}
          options={optionsOf(document, config.mailProviders)}
          onChange={(service) => set(valuesOf(service, values.smtp_host))}
        />
        {values.provider === 'api' && (
          <SecretField
            {...field('api_key')}
            label={config.fields.api_key}
            isConfigured={document.api_key_configured}
          />
        )}
        {values.provider === 'smtp' && <ServerFields document={document} form={part.form} />}
      </PartCard>
      {document.provider !== null && (
        <>
          <TestMail send={test} />
          <MailDomain />
        </>
      )}
    </div>
  )
}

interface ServerFieldsProps extends Stored<'email'> {
  readonly form: ReturnType<typeof useMailPart>['form']
}

function ServerFields({ document, form: { field, values } }: ServerFieldsProps) {
  const { config } = useTexts()
  const { smtp_host, smtp_url, smtp_password_configured } = document
  if (smtp_url !== null) return <Notice look="info">{config.smtpDeployed(smtp_url)}</Notice>
  return (
    <>
      <div className="grid gap-6 sm:grid-cols-[1fr_7rem]">
        <TextField {...field('smtp_host')} label={config.fields.smtp_host} spellCheck={false} />
        <TextField {...field('smtp_port')} label={config.fields.smtp_port} inputMode="numeric" />
      </div>
      <TextField
        {...field('smtp_user')}
        label={config.fields.smtp_user}
        hint={config.smtpUserHints[serviceOf(values)]}
        autoComplete="off"
        spellCheck={false}
      />
      <SecretField
        {...field('smtp_password')}
        label={config.fields.smtp_password}
        isConfigured={smtp_password_configured && values.smtp_host === smtp_host}
      />
    </>
  )
}

/** Only what this deployment can offer. */
function optionsOf(
  { available_providers, api_url }: Document,
  { api, outbox, ...names }: Readonly<Record<MailService, string>>,
): Record<MailService, string> {
  const { hostname } = new URL(api_url)
  return {
    ...names,
    api: hostname === 'api.resend.com' ? api : `${api} (${hostname})`,
    ...(available_providers.includes('outbox') && { outbox }),
  } as Record<MailService, string>
}

const useTestLetter = () =>
  useAct({
    act: async (sent: { readonly to: string }) => {
      await call('/api/admin/send_test_email', sent)
      return sent
    },
    refreshes: [consoleKeys.overview],
  })

function TestMail({ send }: { readonly send: ReturnType<typeof useTestLetter> }) {
  const texts = useTexts()
  const { config, common } = texts
  const { user } = useSignedIn()
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
