import type { Platform } from '../../../../platform/platform.ts'
import { currentSettings } from '../current-settings.ts'
import { brandName, publicBrand } from './brand.ts'

export async function currentName(platform: Platform): Promise<string> {
  const { brand } = await currentSettings(platform)
  return brandName(platform.config, brand)
}

/** Name, pictures and colours, for pages that the service itself writes. */
export async function currentLook(platform: Platform) {
  const settings = await currentSettings(platform)
  const { logo_url, logo_dark_url, favicon_url, palette } = await publicBrand(platform, settings)
  return {
    name: brandName(platform.config, settings.brand),
    logoUrl: logo_url,
    logoDarkUrl: logo_dark_url,
    iconUrl: favicon_url ?? logo_url,
    palette,
  }
}
