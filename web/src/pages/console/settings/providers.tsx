import { useTexts } from '../../../texts/texts.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { secret, text, toggle } from './part-fields.tsx'
import { SecretField } from './secret-field.tsx'
import { usePart } from './use-part.tsx'

export const ProviderSettings = () => (
  <StoredPart part="authentication">{(document) => <ProvidersForm document={document} />}</StoredPart>
)

const providers = ['provider_a', 'provider_b', 'community'] as const
type Provider = (typeof providers)[number]
type Document = Stored<'authentication'>['document']

const useProviders = (document: Document) =>
  usePart({
    part: 'authentication',
    document,
    page: 'providers',
    fields: {
      provider_a_enabled: toggle,
      provider_a_client_id: text,
      provider_a_client_secret: secret,
      provider_b_enabled: toggle,
      provider_b_client_id: text,
      provider_b_client_secret: secret,
      community_enabled: toggle,
      community_client_id: text,
      community_client_secret: secret,
    },
  })

function ProvidersForm({ document }: Stored<'authentication'>) {
  const { config } = useTexts()
  const part = useProviders(document)
  return (
    <PartCard title={config.providers} lead={config.providersLead} part={part}>
      {providers.map((provider) => (
        <ProviderFields key={provider} provider={provider} document={document} form={part.form} />
      ))}
    </PartCard>
  )
}

interface Props {
  readonly provider: Provider
  readonly document: Document
  readonly form: ReturnType<typeof useProviders>['form']
}

function ProviderFields({ provider, document, form }: Props) {
  const { config } = useTexts()
  const name = document[`${provider}_name`]
  const callback = document[`${provider}_callback_url`]
  return (
    <fieldset className="flex flex-col gap-4 border-line not-first:border-t not-first:pt-6">
      <legend className="sr-only">{name}</legend>
      <Switch {...form.field(`${provider}_enabled`)} label={name} hint={config.providerHint} />
      <TextField {...form.field(`${provider}_client_id`)} label={config.clientId} mono autoComplete="off" />
      <SecretField
        {...form.field(`${provider}_client_secret`)}
        label={config.clientSecret}
        isConfigured={document[`${provider}_client_secret_configured`]}
      />
      <div className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-sunken/60 px-3 py-2">
        <div className="min-w-0">
          <p className="text-tiny text-ink-soft">{config.callback}</p>
          <code className="break-all text-small">{callback}</code>
        </div>
        <CopyButton text={callback} label={config.copyCallback(name)} />
      </div>
    </fieldset>
  )
}
