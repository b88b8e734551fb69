import { withoutPassword } from '../../../config/listing.ts'
import type { Platform } from '../../../platform/platform.ts'
import { callbackUrl, providerName } from '../provider-presets/presets.ts'
import type { AiConfig, AssistantsConfig, AuthenticationConfig, CreditsConfig, EmailConfig } from './input.ts'
import type { Settings } from './model.ts'

// The administrator's view: everything except secrets, which show only whether they are set.

export function authenticationConfig(
  { config }: Platform,
  { authentication, versions }: Settings,
): AuthenticationConfig {
  const { provider_a, provider_b, community, ...rules } = authentication
  return {
    version: versions.authentication,
    ...rules,
    provider_a_enabled: provider_a.enabled,
    provider_a_client_id: provider_a.client_id,
    provider_a_client_secret_configured: provider_a.client_secret !== '',
    provider_a_callback_url: callbackUrl(config, 'provider_a'),
    provider_a_name: providerName(config, 'provider_a'),
    provider_b_enabled: provider_b.enabled,
    provider_b_client_id: provider_b.client_id,
    provider_b_client_secret_configured: provider_b.client_secret !== '',
    provider_b_callback_url: callbackUrl(config, 'provider_b'),
    provider_b_name: providerName(config, 'provider_b'),
    community_enabled: community.enabled,
    community_client_id: community.client_id,
    community_client_secret_configured: community.client_secret !== '',
    community_callback_url: callbackUrl(config, 'community'),
    community_name: providerName(config, 'community'),
  }
}

export function emailConfig({ mail, config }: Platform, { email, versions }: Settings): EmailConfig {
  const { api_key, smtp_password, ...fields } = email
  return {
    version: versions.email,
    ...fields,
    available_providers: [...mail.providers],
    api_key_configured: api_key !== '',
    smtp_password_configured: smtp_password !== '',
    smtp_url: withoutPassword(mail.smtpUrl) ?? null,
    api_url: config.emailApiUrl,
  }
}

export function creditsConfig(_platform: Platform, { credits, versions }: Settings): CreditsConfig {
  return { version: versions.credits, ...credits }
}

export function aiConfig(_platform: Platform, { ai, versions }: Settings): AiConfig {
  const { api_key, ...fields } = ai
  return { version: versions.ai, ...fields, api_key_configured: api_key !== '' }
}

export function assistantsConfig(_platform: Platform, { assistants, versions }: Settings): AssistantsConfig {
  return { version: versions.assistants, ...assistants }
}
