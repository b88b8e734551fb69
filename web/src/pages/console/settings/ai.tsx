import * as z from 'zod/mini'
import { useTexts } from '../../../texts/texts.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { keptSecret, secret, text } from './part-fields.ts'
import { SecretField } from './secret-field.tsx'
import { usePart } from './use-part.ts'

export const AiSettings = () => <StoredPart part="ai" Form={AiForm} />

const schema = z.object({ enabled: z.boolean(), base_url: text, model: text, api_key: secret })

function AiForm({ document }: Stored<'ai'>) {
  const { config } = useTexts()
  const { enabled, base_url, model, api_key_configured } = document
  const part = usePart({
    part: 'ai',
    document,
    page: 'ai',
    initial: { enabled, base_url, model, api_key: keptSecret },
    schema,
    secrets: ['api_key'],
  })
  const { form } = part
  return (
    <PartCard title={config.ai} lead={config.aiLead} part={part}>
      <Switch {...form.toggle('enabled')} label={config.aiEnabled} />
      <TextField
        {...form.field('base_url')}
        label={config.fields.base_url}
        type="url"
        placeholder="https://"
      />
      <TextField {...form.field('model')} label={config.fields.model} />
      <SecretField
        {...form.field('api_key')}
        label={config.fields.api_key}
        isConfigured={api_key_configured}
      />
    </PartCard>
  )
}
