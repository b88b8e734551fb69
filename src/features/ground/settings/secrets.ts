import type { Platform } from '../../../platform/platform.ts'
import { canOpen } from '../../../platform/secrets/secret-box.ts'
import type { Settings } from './model.ts'

/** Every secret of the settings record. The sealed text is bound to its name. */
const SETTINGS_SECRETS = [
  'provider_a_client_secret',
  'provider_b_client_secret',
  'community_client_secret',
  'email_api_key',
  'email_smtp_password',
  'ai_api_key',
] as const
export type SettingsSecret = (typeof SETTINGS_SECRETS)[number]

type Sealing = Pick<Platform, 'secretBox'>

export function sealSetting({ secretBox }: Sealing, name: SettingsSecret, plain: string): string {
  return secretBox.seal(`settings:${name}`, plain)
}

/** Undefined if none is configured. */
export function openSetting(
  { secretBox }: Sealing,
  name: SettingsSecret,
  sealed: string,
): string | undefined {
  return sealed === '' ? undefined : secretBox.open(`settings:${name}`, sealed)
}

/** Those that were sealed under another key. */
export function closedSecrets(
  { secretBox }: Sealing,
  { authentication, email, ai }: Pick<Settings, 'authentication' | 'email' | 'ai'>,
): readonly SettingsSecret[] {
  const all: Readonly<Record<SettingsSecret, string>> = {
    provider_a_client_secret: authentication.provider_a.client_secret,
    provider_b_client_secret: authentication.provider_b.client_secret,
    community_client_secret: authentication.community.client_secret,
    email_api_key: email.api_key,
    email_smtp_password: email.smtp_password,
    ai_api_key: ai.api_key,
  }
  return SETTINGS_SECRETS.filter(
    (name) => all[name] !== '' && !canOpen(secretBox, `settings:${name}`, all[name]),
  )
}
