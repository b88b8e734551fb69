import { untilNotOvertaken } from '../../../../database/overtaken.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { currentSettings } from '../current-settings.ts'
import { saveParts } from './saving.ts'

/** The operator runs this on the host when nobody can sign in to the console. Returns false if it was already off. */
export async function switchOffChallenge(platform: Platform): Promise<boolean> {
  return untilNotOvertaken(platform.meta, async () => {
    const loaded = await currentSettings(platform)
    if (!loaded.authentication.challenge_enabled) return false
    const document = { ...loaded.authentication, challenge_enabled: false }
    await saveParts({ platform }, loaded, [{ part: 'authentication', document, fields: ['challenge_enabled'] }])
    return true
  })
}
