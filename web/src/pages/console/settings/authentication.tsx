import * as z from 'zod/mini'
import { useTexts } from '../../../texts/texts.tsx'
import { Select } from '../../../ui/controls/select.tsx'
import { Switch } from '../../../ui/controls/switch.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { PartCard, type Stored, StoredPart } from './part-card.tsx'
import { lines, linesOf, wholeNumber } from './part-fields.ts'
import { usePart } from './use-part.ts'

export const AuthenticationSettings = () => <StoredPart part="authentication" Form={AuthenticationForm} />

const secondFactors = ['off', 'optional', 'required_for_administrator', 'required'] as const
const daySeconds = 86_400

function AuthenticationForm({ document }: Stored<'authentication'>) {
  const { config } = useTexts()
  const part = useAuthentication(document)
  const { form } = part
  return (
    <PartCard title={config.authentication} lead={config.authenticationLead} part={part}>
      <Switch
        {...form.toggle('registration_enabled')}
        label={config.fields.registration_enabled}
        hint={config.registrationHint}
      />
      <Switch
        {...form.toggle('email_verification_required')}
        label={config.fields.email_verification_required}
        hint={config.verificationHint}
      />
      <Switch
        {...form.toggle('beta_gate_enabled')}
        label={config.fields.beta_gate_enabled}
        hint={config.gateHint}
      />
      <Switch
        {...form.toggle('challenge_enabled')}
        label={config.fields.challenge_enabled}
        hint={config.challengeHint}
      />
      <Select
        {...form.field('second_factor')}
        label={config.fields.second_factor}
        hint={config.secondFactorHint}
        options={config.secondFactors}
      />
      <Switch
        {...form.toggle('passkey_sign_up_enabled')}
        label={config.fields.passkey_sign_up_enabled}
        hint={config.passkeySignUpHint}
      />
      <TextField
        {...form.field('email_signup_domain_allowlist')}
        label={config.fields.email_signup_domain_allowlist}
        hint={config.domainsHint}
        placeholder="example.com"
        rows={3}
        mono
      />
      <TextField
        {...form.field('email_user_action_cooldown_seconds')}
        label={config.fields.email_user_action_cooldown_seconds}
        hint={config.cooldownHint}
        inputMode="numeric"
      />
    </PartCard>
  )
}

function useAuthentication(document: Stored<'authentication'>['document']) {
  const { problems } = useTexts().config
  return usePart({
    part: 'authentication',
    document,
    page: 'authentication',
    initial: {
      registration_enabled: document.registration_enabled,
      email_verification_required: document.email_verification_required,
      beta_gate_enabled: document.beta_gate_enabled,
      challenge_enabled: document.challenge_enabled,
      second_factor: document.second_factor,
      passkey_sign_up_enabled: document.passkey_sign_up_enabled,
      email_signup_domain_allowlist: linesOf(document.email_signup_domain_allowlist),
      email_user_action_cooldown_seconds: String(document.email_user_action_cooldown_seconds),
    },
    schema: z.object({
      registration_enabled: z.boolean(),
      email_verification_required: z.boolean(),
      beta_gate_enabled: z.boolean(),
      challenge_enabled: z.boolean(),
      second_factor: z.enum(secondFactors),
      passkey_sign_up_enabled: z.boolean(),
      email_signup_domain_allowlist: lines,
      email_user_action_cooldown_seconds: wholeNumber(
        daySeconds,
        problems.email_user_action_cooldown_seconds,
      ),
    }),
  })
}
