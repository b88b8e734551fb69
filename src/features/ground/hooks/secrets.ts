import { untilNotOvertaken } from '../../../database/overtaken.ts'
import { newEndpointSecret } from '../../../platform/endpoints/signature.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Doer } from '../acts/acts.ts'
import { currentSettings } from '../settings/current-settings.ts'
import type { Settings } from '../settings/model.ts'
import { rotated, signingSecrets } from '../settings/parts/hook-secret.ts'
import type { HookName } from '../settings/parts/hooks.ts'
import { saveParts } from '../settings/saving/saving.ts'
import { openSettingIfOurs, sealSetting } from '../settings/secrets.ts'

/** Those that sign; empty if there is none, or it was sealed under another key. */
export function secretsOf(
  { secretBox, now }: Pick<Platform, 'secretBox' | 'now'>,
  name: HookName,
  hooks: Settings['hooks'],
): readonly string[] {
  return signingSecrets(opened({ secretBox }, name, hooks), now())
}

export async function rotateHookSecret(doer: Doer, name: HookName) {
  const { platform } = doer
  const secret = newEndpointSecret()
  const field = `${name}_secret` as const
  await untilNotOvertaken(platform.meta, async () => {
    const loaded = await currentSettings(platform)
    const text = rotated(opened(platform, name, loaded.hooks), secret, platform.now())
    const document = { ...loaded.hooks, [field]: sealSetting(platform, `hooks_${field}`, text) }
    await saveParts(doer, loaded, [{ part: 'hooks', document, fields: [field] }])
  })
  return { secret }
}

function opened({ secretBox }: Pick<Platform, 'secretBox'>, name: HookName, hooks: Settings['hooks']): string {
  return openSettingIfOurs({ secretBox }, `hooks_${name}_secret`, hooks[`${name}_secret`]) ?? ''
}
