import type { Platform } from '../../../../platform/platform.ts'
import type { SocialProvider } from '../../provider-presets/presets.ts'
import type {
  SecretChange,
  UpdateAi,
  UpdateAssistants,
  UpdateAuthentication,
  UpdateCredits,
  UpdateEmail,
} from '../input.ts'
import type { Settings } from '../model.ts'
import { type SettingsSecret, sealSetting } from '../secrets.ts'

// Each returns the whole new part: fields that were not sent stay as they are.

export function changedAuthentication(
  platform: Platform,
  { authentication: now }: Settings,
  sent: UpdateAuthentication,
): Settings['authentication'] {
  const provider = (name: SocialProvider) => ({
    enabled: sent[`${name}_enabled`] ?? now[name].enabled,
    client_id: sent[`${name}_client_id`] ?? now[name].client_id,
    client_secret: changedSecret(
      platform,
      `${name}_client_secret`,
      now[name].client_secret,
      sent[`${name}_client_secret`],
    ),
  })
  return {
    registration_enabled: sent.registration_enabled ?? now.registration_enabled,
    email_signup_domain_allowlist: [
      ...new Set(sent.email_signup_domain_allowlist ?? now.email_signup_domain_allowlist),
    ],
    email_user_action_cooldown_seconds:
      sent.email_user_action_cooldown_seconds ?? now.email_user_action_cooldown_seconds,
    beta_gate_enabled: sent.beta_gate_enabled ?? now.beta_gate_enabled,
    email_verification_required: sent.email_verification_required ?? now.email_verification_required,
    challenge_enabled: sent.challenge_enabled ?? now.challenge_enabled,
    second_factor: sent.second_factor ?? now.second_factor,
    passkey_sign_up_enabled: sent.passkey_sign_up_enabled ?? now.passkey_sign_up_enabled,
    provider_a: provider('provider_a'),
    provider_b: provider('provider_b'),
    community: provider('community'),
  }
}

export function changedEmail(
  platform: Platform,
  { email: now }: Settings,
  sent: UpdateEmail,
): Settings['email'] {
  const smtp_host = sent.smtp_host ?? now.smtp_host
  // A password is for the server that it was entered for, and is never shown to another.
  const kept = smtp_host === now.smtp_host ? now.smtp_password : ''
  return {
    provider: sent.provider === undefined ? now.provider : sent.provider,
    api_key: changedSecret(platform, 'email_api_key', now.api_key, sent.api_key),
    smtp_host,
    smtp_port: sent.smtp_port ?? now.smtp_port,
    smtp_user: sent.smtp_user ?? now.smtp_user,
    smtp_password: changedSecret(platform, 'email_smtp_password', kept, sent.smtp_password),
  }
}

export function changedCredits(
  _platform: Platform,
  { credits: now }: Settings,
  sent: UpdateCredits,
): Settings['credits'] {
  return {
    signup_reward_enabled: sent.signup_reward_enabled ?? now.signup_reward_enabled,
    signup_reward_amount: sent.signup_reward_amount ?? now.signup_reward_amount,
  }
}

export function changedAi(platform: Platform, { ai: now }: Settings, sent: UpdateAi): Settings['ai'] {
  return {
    enabled: sent.enabled ?? now.enabled,
    base_url: sent.base_url ?? now.base_url,
    model: sent.model ?? now.model,
    api_key: changedSecret(platform, 'ai_api_key', now.api_key, sent.api_key),
  }
}

export function changedAssistants(
  _platform: Platform,
  { assistants: now }: Settings,
  sent: UpdateAssistants,
): Settings['assistants'] {
  return {
    client_documents: sent.client_documents ?? now.client_documents,
    registration: sent.registration ?? now.registration,
  }
}

function changedSecret(
  platform: Platform,
  name: SettingsSecret,
  sealed: string,
  change: SecretChange | undefined,
): string {
  switch (change?.action) {
    case 'replace':
      return sealSetting(platform, name, change.value)
    case 'remove':
      return ''
    default:
      return sealed
  }
}
