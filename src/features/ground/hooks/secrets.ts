import { untilNotOvertaken } from '../../../database/overtaken.ts'
import { newEndpointSecret } from '../../../platform/endpoints/signature.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import type { Doer } from '../acts/acts.ts'
import { currentSettings } from '../settings/current-settings.ts'
import type { Settings } from '../settings/model.ts'
import type { HookName } from '../settings/parts/hooks.ts'
import { saveParts } from '../settings/saving/saving.ts'
import { openSetting, sealSetting } from '../settings/secrets.ts'

/** Those that sign: the newest first, and the one before it for a day. */
export function secretsOf(
  { secretBox, now }: Pick<Platform, 'secretBox' | 'now'>,
  name: HookName,
  hooks: Settings['hooks'],
): readonly string[] {
  const [secret = '', former, until = '0'] = (opened({ secretBox }, name, hooks) ?? '').split(' ')
  return former !== undefined && now() < Number(until) ? [secret, former] : [secret]
}

/** The former secret signs beside the new one for a day. */
export async function rotateHookSecret(doer: Doer, name: HookName) {
  const { platform } = doer
  const secret = newEndpointSecret()
  const field = `${name}_secret` as const
  await untilNotOvertaken(platform.meta, async () => {
    const loaded = await currentSettings(platform)
    const [former = ''] = (opened(platform, name, loaded.hooks) ?? '').split(' ')
    const text = former === '' ? secret : `${secret} ${former} ${platform.now() + DAY_MILLISECONDS}`
    const document = { ...loaded.hooks, [field]: sealSetting(platform, `hooks_${field}`, text) }
    await saveParts(doer, loaded, [{ part: 'hooks', document, fields: [field] }])
  })
  return { secret }
}

function opened({ secretBox }: Pick<Platform, 'secretBox'>, name: HookName, hooks: Settings['hooks']) {
  return openSetting({ secretBox }, `hooks_${name}_secret`, hooks[`${name}_secret`])
}
