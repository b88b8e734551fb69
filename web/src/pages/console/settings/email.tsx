import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { may } from '../../../scope-tiers.ts'
import { call } from '../../../server/api.ts'
import { useSignedIn } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { FormCard } from '../../../ui/form.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { MailTrouble } from '../overview/mail-trouble.tsx'
import { consoleKeys, overviewQuery } from '../queries.ts'
import { MailDomain } from './mail-domain.tsx'
import { type MailService, serviceOf, valuesOf } from './mail-services.ts'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { type Kind, secret, text, wholeNumber } from './part-fields.tsx'
import { SecretField } from './secret-field.tsx'
import { usePart } from './use-part.tsx'

export function EmailSettings() {
  const { user } = useSignedIn()
  const seesTrouble = may(user, 'admin:users:read')
  const overview = useQuery({ ...overviewQuery, enabled: seesTrouble })
  if (seesTrouble && !areSettled([overview])) return <Skeleton rows={5} />
  return (
    <>
      {overview.data && <MailTrouble {...overview.data} />}
      {overview.error && <LoadFailure query={overview} />}
      <StoredPart part="email">{(document) => <EmailForm document={document} />}</StoredPart>
    </>
  )
}

type Document = Stored<'email'>['document']
type Provider = Document['provider']

const provider: Kind<Provider, Provider, Provider> = {
  initialOf: (stored) => stored,
  schemaOf: () => z.nullable(z.enum(['smtp', 'api', 'outbox'])),
  draw: () => null,
}

const useMailPart = (document: Document, onSaved: (saved: Document) => unknown) =>
  usePart({
    part: 'email',
    document,
    page: 'email',
    fields: {
      provider,
      api_key: secret,
      smtp_host: text,
      smtp_port: wholeNumber(65_535),
      smtp_user: text,
      smtp_password: secret,
    },
    onSaved,
  })

function EmailForm({ document }: Stored<'email'>) {
  const { config } = useTexts()
  const { user } = useSignedIn()
  const test = useTestLetter()
  const part = useMailPart(document, (saved) => saved.provider !== null && test.act({ to: user.email }))
  const { field } = part
  const { set, values } = part.form
  return (
    <div className="flex flex-col gap-6">
      <PartCard
        title={config.email}
        lead={config.emailLead}
        part={part}
        save={values.provider === null ? undefined : config.saveAndTest}
      >
        <Select
          {...field('provider')}
          value={serviceOf(values)}
          options={optionsOf(document, config.mailProviders)}
          onChange={(service) => set(valuesOf(service, values.smtp_host))}
        />
        {values.provider === 'api' && <SecretField {...field('api_key')} isConfigured={document.api_key_configured} />}
        {values.provider === 'smtp' && <ServerFields document={document} part={part} />}
      </PartCard>
      {document.provider !== null && (
        <>
          <TestMail form={test} />
          <MailDomain />
        </>
      )}
    </div>
  )
}

interface ServerFieldsProps extends Stored<'email'> {
  readonly part: ReturnType<typeof useMailPart>
}

function ServerFields({ document, part: { field, form } }: ServerFieldsProps) {
  const { config } = useTexts()
  const { values } = form
  const { smtp_host, smtp_url, smtp_password_configured } = document
  if (smtp_url !== null) return <Notice look="info">{config.smtpDeployed(smtp_url)}</Notice>
  return (
    <>
      <div className="grid gap-6 sm:grid-cols-[1fr_7rem]">
        <TextField {...field('smtp_host')} spellCheck={false} />
        <TextField {...field('smtp_port')} inputMode="numeric" />
      </div>
      <TextField
        {...field('smtp_user')}
        hint={config.smtpUserHints[serviceOf(values)]}
        autoComplete="off"
        spellCheck={false}
      />
      <SecretField
        {...field('smtp_password')}
        isConfigured={smtp_password_configured && values.smtp_host === smtp_host}
      />
    </>
  )
}

/** Offers only what this deployment has. */
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

function useTestLetter() {
  const texts = useTexts()
  const { user } = useSignedIn()
  return useForm({
    schema: z.object({ to: fieldsOf(texts).email }),
    initial: { to: user.email },
    invalid: { to: texts.form.emailOdd },
    draft: 'test-mail',
    act: async (sent) => {
      await call('/api/admin/send_test_email', sent)
      return sent
    },
    refreshes: [consoleKeys.overview],
  })
}

function TestMail({ form }: { readonly form: ReturnType<typeof useTestLetter> }) {
  const { common, config, failures } = useTexts()
  return (
    <FormCard
      form={form}
      title={config.testMail}
      lead={config.testMailLead}
      submit={config.testMailSend}
      look="quiet"
      words={{ MAIL_NOT_SENT: `${failures.MAIL_NOT_SENT} ${form.error?.message ?? ''}` }}
    >
      <TextField {...form.field('to')} label={common.email} type="email" />
      {form.got && <Notice look="done">{config.testMailSent(form.got.to)}</Notice>}
    </FormCard>
  )
}
