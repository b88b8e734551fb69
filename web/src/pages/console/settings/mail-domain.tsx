import * as z from 'zod/mini'
import { useForm } from '../../../forms/form.ts'
import { call, type Output } from '../../../server/api.ts'
import { useClientConfig } from '../../../server/session.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { FormCard } from '../../../ui/form.tsx'

type Checked = Output<'/api/admin/check_mail_domain'>['records'][number]

const looks = { found: 'accent', missing: 'warning', faulty: 'warning', unknown: 'plain' } as const

/** The records that receivers check for the sender's domain, looked up when the button is pressed. */
export function MailDomain() {
  const { config } = useTexts()
  const { support_email } = useClientConfig()
  const form = useForm({
    schema: z.object({ dkim_selector: z.string().check(z.trim()) }),
    initial: { dkim_selector: '' },
    draft: 'mail-domain',
    invalid: { dkim_selector: config.dkimSelectorOdd },
    act: (sent) => call('/api/admin/check_mail_domain', sent.dkim_selector === '' ? {} : sent),
  })
  const records = form.got?.records ?? []
  const isDkimSought = records.some(({ kind, state }) => kind === 'dkim' && state !== 'found')
  return (
    <FormCard
      form={form}
      title={config.mailDomain}
      lead={config.mailDomainLead(support_email)}
      submit={config.mailDomainCheck}
      look="quiet"
    >
      <ul aria-label={config.mailDomain} className="flex flex-col gap-4 empty:hidden">
        {records.map((record) => (
          <Record key={record.kind} {...record} />
        ))}
      </ul>
      {(isDkimSought || form.values.dkim_selector !== '') && (
        <TextField
          {...form.field('dkim_selector')}
          label={config.dkimSelector}
          hint={config.dkimSelectorHint}
          spellCheck={false}
        />
      )}
    </FormCard>
  )
}

function Record({ kind, state, name, value, suggestion }: Checked) {
  const { config } = useTexts()
  const isSound = state === 'found'
  return (
    <li className="flex flex-col gap-1.5 text-compact">
      <span className="flex flex-wrap items-center gap-2 font-medium">
        {config.mailRecords[kind]}
        <Badge look={looks[state]}>{config.mailRecordStates[state]}</Badge>
      </span>
      <Published label={config.mailRecordName} text={name} />
      {value !== null && <Published label={config.mailRecordFound} text={value} />}
      {!isSound && suggestion !== null && <Published label={config.mailRecordWanted} text={suggestion} isCopied />}
      {!isSound && suggestion === null && (
        <span className="text-ink-soft text-small">{config.mailRecordByProvider}</span>
      )}
    </li>
  )
}

interface PublishedProps {
  readonly label: string
  readonly text: string
  readonly isCopied?: boolean
}

function Published({ label, text: published, isCopied = false }: PublishedProps) {
  const { config } = useTexts()
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small">
      <span className="text-ink-soft">{label}</span>
      <code className="wrap-anywhere min-w-0">{published}</code>
      {isCopied && <CopyButton text={published} label={config.mailRecordCopy} />}
    </span>
  )
}
