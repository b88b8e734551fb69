import type { Config } from '../../../../config/config.ts'
import { presetNames } from '../../../../config/parsers.ts'
import type { Provider } from '../../../../database/schema/people/account.ts'
import { Refusal } from '../../../../rules/refusal.ts'

type PresetName = (typeof presetNames)[number]

/** A preset's name means the first slot that uses it, since clients only send names like `github`. */
export function providerNamed<P extends Provider>(config: Config, name: P | PresetName) {
  if (!isPresetName(name)) return name
  if (presetOf(config.providerA) === name) return 'provider_a'
  if (presetOf(config.providerB) === name) return 'provider_b'
  throw new Refusal('PROVIDER_DISABLED', 'This sign-in method is not available.')
}

function isPresetName(name: string): name is PresetName {
  return presetNames.some((preset) => preset === name)
}

/** `github:https://git.example.com` also counts as `github`. */
function presetOf(text: string): string | undefined {
  return text.split(':', 1)[0]
}
