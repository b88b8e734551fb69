import { useTexts } from '../../../texts/texts.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { PartCard, PartLoading } from './part-card.tsx'
import { SecretField } from './secret-field.tsx'
import { type PartState, usePart } from './use-part.ts'

const providers = ['provider_a', 'provider_b', 'community'] as const
type Provider = (typeof providers)[number]

export function ProviderSettings() {
  const { config } = useTexts()
  const part = usePart('authentication')
  const { document } = part
  if (!document) return <PartLoading part={part} />
  return (
    <PartCard title={config.providers} lead={config.providersLead} part={part}>
      {providers.map((provider) => (
        <ProviderFields key={provider} provider={provider} document={document} part={part} />
      ))}
    </PartCard>
  )
}

interface Props {
  readonly provider: Provider
  readonly part: PartState<'authentication'>
  readonly document: NonNullable<PartState<'authentication'>['document']>
}

function ProviderFields({ provider, part, document }: Props) {
  const { config } = useTexts()
  const now = { ...document, ...part.changes }
  const callback = document[`${provider}_callback_url`]
  return (
    <fieldset className="flex flex-col gap-4 border-line not-first:border-t not-first:pt-6">
      <legend className="sr-only">{document[`${provider}_name`]}</legend>
      <Switch
        label={document[`${provider}_name`]}
        hint={config.providerHint}
        isSelected={now[`${provider}_enabled`]}
        onChange={(isOn) => part.change({ [`${provider}_enabled`]: isOn })}
      />
      <TextField
        label={config.clientId}
        mono
        autoComplete="off"
        value={now[`${provider}_client_id`]}
        onChange={(id) => part.change({ [`${provider}_client_id`]: id })}
      />
      <SecretField
        label={config.clientSecret}
        isConfigured={document[`${provider}_client_secret_configured`]}
        change={part.changes[`${provider}_client_secret`]}
        onChange={(change) => part.change({ [`${provider}_client_secret`]: change })}
      />
      <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-sunken/60 px-3 py-2">
        <div className="min-w-0">
          <p className="text-tiny text-ink-soft">{config.callback}</p>
          <code className="break-all text-small">{callback}</code>
        </div>
        <CopyButton text={callback} label={config.copyCallback(document[`${provider}_name`])} />
      </div>
    </fieldset>
  )
}
