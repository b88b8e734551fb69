import { useTexts } from '../../../texts/texts.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { PartCard, PartLoading } from './part-card.tsx'
import { SecretField } from './secret-field.tsx'
import { usePart } from './use-part.ts'

export function AiSettings() {
  const { config } = useTexts()
  const part = usePart('ai')
  const { document } = part
  if (!document) return <PartLoading part={part} />

  const now = { ...document, ...part.changes }
  return (
    <PartCard title={config.ai} lead={config.aiLead} part={part}>
      <Switch
        label={config.aiEnabled}
        isSelected={now.enabled}
        onChange={(enabled) => part.change({ enabled })}
      />
      <TextField
        label={config.aiBaseUrl}
        type="url"
        placeholder="https://"
        value={now.base_url}
        onChange={(base_url) => part.change({ base_url })}
      />
      <TextField label={config.aiModel} value={now.model} onChange={(model) => part.change({ model })} />
      <SecretField
        label={config.apiKey}
        isConfigured={document.api_key_configured}
        change={part.changes.api_key}
        onChange={(api_key) => part.change({ api_key })}
      />
    </PartCard>
  )
}
