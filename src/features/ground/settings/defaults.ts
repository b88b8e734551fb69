import { BrandSettings } from './brand/model.ts'
import { AssistantsSettings, EmailSettings, type Part, type Settings } from './model.ts'

const providerOff = { enabled: false, client_id: '', client_secret: '' }

/** The settings of a fresh installation. */
export const defaultSettings: Pick<Settings, Part> = {
  authentication: {
    registration_enabled: true,
    email_signup_domain_allowlist: [],
    email_user_action_cooldown_seconds: 60,
    beta_gate_enabled: false,
    email_verification_required: false,
    challenge_enabled: false,
    second_factor: 'optional',
    passkey_sign_up_enabled: true,
    provider_a: providerOff,
    provider_b: providerOff,
    community: providerOff,
  },
  email: EmailSettings.parse({ provider: null, api_key: '' }),
  credits: { signup_reward_enabled: false, signup_reward_amount: 0 },
  ai: { enabled: false, base_url: '', model: '', api_key: '' },
  brand: BrandSettings.parse({}),
  assistants: AssistantsSettings.parse({}),
}
