import type { Platform } from '../../../../platform/platform.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { currentSettings } from '../current-settings.ts'
import { saveSettings } from './saving.ts'

/** Run by the operator on the host, when nobody can sign in to the console. False if it was off already. */
export async function switchOffChallenge(platform: Platform): Promise<boolean> {
  for (;;) {
    const { authentication, versions } = await currentSettings(platform)
    if (!authentication.challenge_enabled) return false
    const sent = { expected_version: versions.authentication, challenge_enabled: false }
    try {
      await saveSettings({ platform }, 'authentication', sent)
      return true
    } catch (error) {
      // An administrator has saved meanwhile.
      if (!(error instanceof Refusal && error.code === 'CONFIG_CONFLICT')) throw error
    }
  }
}
