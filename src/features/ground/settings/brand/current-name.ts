import type { Platform } from '../../../../platform/platform.ts'
import { currentSettings } from '../current-settings.ts'
import { brandName } from './brand.ts'

export async function currentName(platform: Platform): Promise<string> {
  const { brand } = await currentSettings(platform)
  return brandName(platform.config, brand)
}
