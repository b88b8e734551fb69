import type { Platform } from '../../../platform/platform.ts'
import { canOpen } from '../../../platform/secrets/secret-box.ts'
import type { Documents } from './model.ts'

/** Every secret of the settings record. The sealed text is bound to its name. */
export function secretsIn({ authentication, email, ai }: Pick<Documents, 'authentication' | 'email' | 'ai'>) {
  return {
    provider_a_client_secret: authentication.provider_a.client_secret,
    provider_b_client_secret: authentication.provider_b.client_secret,
    community_client_secret: authentication.community.client_secret,
    email_api_key: email.api_key,
    email_smtp_password: email.smtp_password,
    ai_api_key: ai.api_key,
  }
}

export type SettingsSecret = keyof ReturnType<typeof secretsIn>

type Sealing = Pick<Platform, 'secretBox'>

export function sealSetting({ secretBox }: Sealing, name: SettingsSecret, plain: string): string {
  return secretBox.seal(`settings:${name}`, plain)
}

/** Undefined if none is configured. */
export function openSetting({ secretBox }: Sealing, name: SettingsSecret, sealed: string): string | undefined {
  return sealed === '' ? undefined : secretBox.open(`settings:${name}`, sealed)
}

/** Secrets sealed under another key. */
export function closedSecrets({ secretBox }: Sealing, settings: Parameters<typeof secretsIn>[0]): readonly string[] {
  const sealed = Object.entries(secretsIn(settings)).filter(([, text]) => text !== '')
  return sealed.flatMap(([name, text]) => (canOpen(secretBox, `settings:${name}`, text) ? [] : [name]))
}
