import * as z from 'zod/mini'
import { useTexts } from '../../../texts/texts.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { wholeNumber } from './part-fields.ts'
import { usePart } from './use-part.ts'

export const CreditsSettings = () => <StoredPart part="credits" Form={CreditsForm} />

const largestReward = 1_000_000_000

function CreditsForm({ document }: Stored<'credits'>) {
  const { config } = useTexts()
  const part = usePart({
    part: 'credits',
    document,
    page: 'credits',
    initial: {
      signup_reward_enabled: document.signup_reward_enabled,
      signup_reward_amount: String(document.signup_reward_amount),
    },
    schema: z.object({
      signup_reward_enabled: z.boolean(),
      signup_reward_amount: wholeNumber(largestReward, config.problems.signup_reward_amount),
    }),
  })
  const { form } = part
  return (
    <PartCard title={config.credits} lead={config.creditsLead} part={part}>
      <Switch
        {...form.toggle('signup_reward_enabled')}
        label={config.fields.signup_reward_enabled}
        hint={config.rewardHint}
      />
      <TextField
        {...form.field('signup_reward_amount')}
        label={config.fields.signup_reward_amount}
        inputMode="numeric"
      />
    </PartCard>
  )
}
