import type { Platform } from '../../platform/platform.ts'

/** Every secret of the settings record. The sealed text is bound to its name. */
export type SettingsSecret =
  | 'provider_a_client_secret'
  | 'provider_b_client_secret'
  | 'community_client_secret'
  | 'email_api_key'
  | 'ai_api_key'

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
