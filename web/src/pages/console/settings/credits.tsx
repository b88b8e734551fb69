import { useTexts } from '../../../texts/texts.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { PartCard, PartLoading } from './part-card.tsx'
import { usePart } from './use-part.ts'

export function CreditsSettings() {
  const { config } = useTexts()
  const part = usePart('credits')
  if (!part.document) return <PartLoading part={part} />

  const now = { ...part.document, ...part.changes }
  return (
    <PartCard title={config.credits} lead={config.creditsLead} part={part}>
      <Switch
        label={config.reward}
        hint={config.rewardHint}
        isSelected={now.signup_reward_enabled}
        onChange={(signup_reward_enabled) => part.change({ signup_reward_enabled })}
      />
      <TextField
        label={config.rewardAmount}
        inputMode="numeric"
        value={String(now.signup_reward_amount)}
        onChange={(text) => part.change({ signup_reward_amount: Number(text.replace(/\D/g, '')) })}
      />
    </PartCard>
  )
}
