import * as z from 'zod/mini'
import { useTexts } from '../../../texts/texts.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { usePart } from './use-part.ts'

export const AssistantsSettings = () => <StoredPart part="assistants" Form={AssistantsForm} />

const schema = z.object({ client_documents: z.boolean(), registration: z.boolean() })

function AssistantsForm({ document }: Stored<'assistants'>) {
  const { config } = useTexts()
  const { client_documents, registration } = document
  const initial = { client_documents, registration }
  const part = usePart({ part: 'assistants', document, page: 'assistants', initial, schema })
  const { form } = part
  return (
    <PartCard title={config.assistants} lead={config.assistantsLead} part={part}>
      <Switch
        {...form.toggle('client_documents')}
        label={config.fields.client_documents}
        hint={config.clientDocumentsHint}
      />
      <Switch
        {...form.toggle('registration')}
        label={config.fields.registration}
        hint={config.selfRegistrationHint}
      />
    </PartCard>
  )
}
