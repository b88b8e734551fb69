import * as z from 'zod/mini'
import { useTexts } from '../../../texts/texts.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { keptSecret, secret, text } from './part-fields.ts'
import { SecretField } from './secret-field.tsx'
import { usePart } from './use-part.ts'

export const ProviderSettings = () => <StoredPart part="authentication" Form={ProvidersForm} />

const providers = ['provider_a', 'provider_b', 'community'] as const
type Provider = (typeof providers)[number]
type Document = Stored<'authentication'>['document']

const schema = z.object({
  provider_a_enabled: z.boolean(),
  provider_a_client_id: text,
  provider_a_client_secret: secret,
  provider_b_enabled: z.boolean(),
  provider_b_client_id: text,
  provider_b_client_secret: secret,
  community_enabled: z.boolean(),
  community_client_id: text,
  community_client_secret: secret,
})

function useProviders(document: Document) {
  return usePart({
    part: 'authentication',
    document,
    page: 'providers',
    initial: {
      provider_a_enabled: document.provider_a_enabled,
      provider_a_client_id: document.provider_a_client_id,
      provider_a_client_secret: keptSecret,
      provider_b_enabled: document.provider_b_enabled,
      provider_b_client_id: document.provider_b_client_id,
      provider_b_client_secret: keptSecret,
      community_enabled: document.community_enabled,
      community_client_id: document.community_client_id,
      community_client_secret: keptSecret,
    },
    schema,
    secrets: ['provider_a_client_secret', 'provider_b_client_secret', 'community_client_secret'],
  })
}

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
      <Switch {...form.toggle(`${provider}_enabled`)} label={name} hint={config.providerHint} />
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
