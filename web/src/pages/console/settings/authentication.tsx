import { useTexts } from '../../../texts/texts.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { LinesField } from './lines-field.tsx'
import { PartCard, PartLoading } from './part-card.tsx'
import { type PartState, usePart } from './use-part.ts'

export function AuthenticationSettings() {
  const { config } = useTexts()
  const part = usePart('authentication')
  if (!part.document) return <PartLoading part={part} />

  const now = { ...part.document, ...part.changes }
  return (
    <PartCard title={config.authentication} lead={config.authenticationLead} part={part}>
      <Switch
        label={config.registration}
        hint={config.registrationHint}
        isSelected={now.registration_enabled}
        onChange={(registration_enabled) => part.change({ registration_enabled })}
      />
      <Switch
        label={config.verification}
        hint={config.verificationHint}
        isSelected={now.email_verification_required}
        onChange={(email_verification_required) => part.change({ email_verification_required })}
      />
      <Switch
        label={config.gate}
        hint={config.gateHint}
        isSelected={now.beta_gate_enabled}
        onChange={(beta_gate_enabled) => part.change({ beta_gate_enabled })}
      />
      <Switch
        label={config.challenge}
        hint={config.challengeHint}
        isSelected={now.challenge_enabled}
        onChange={(challenge_enabled) => part.change({ challenge_enabled })}
      />
      <Select
        label={config.secondFactor}
        hint={config.secondFactorHint}
        value={now.second_factor}
        options={config.secondFactors}
        onChange={(second_factor) => part.change({ second_factor })}
      />
      <Switch
        label={config.passkeySignUp}
        hint={config.passkeySignUpHint}
        isSelected={now.passkey_sign_up_enabled}
        onChange={(passkey_sign_up_enabled) => part.change({ passkey_sign_up_enabled })}
      />
      <Limits part={part} document={part.document} />
    </PartCard>
  )
}

interface LimitsProps {
  readonly part: PartState<'authentication'>
  readonly document: NonNullable<PartState<'authentication'>['document']>
}

function Limits({ part, document }: LimitsProps) {
  const { config } = useTexts()
  const now = { ...document, ...part.changes }
  return (
    <>
      <LinesField
        label={config.domains}
        hint={config.domainsHint}
        placeholder="example.com"
        lines={now.email_signup_domain_allowlist}
        isChanged={part.changes.email_signup_domain_allowlist !== undefined}
        onChange={(email_signup_domain_allowlist) => part.change({ email_signup_domain_allowlist })}
      />
      <TextField
        label={config.cooldown}
        hint={config.cooldownHint}
        inputMode="numeric"
        value={String(now.email_user_action_cooldown_seconds)}
        onChange={(text) =>
          part.change({ email_user_action_cooldown_seconds: Number(text.replace(/\D/g, '')) })
        }
      />
    </>
  )
}
