import type { Config } from '../../../../config/config.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { currentSettings } from '../current-settings.ts'
import type { Settings } from '../model.ts'
import { type Palette, paletteOf } from './accent.ts'
import type { BrandConfig, PublicBrand } from './input.ts'
import { logoPath } from './logo.ts'
import type { BrandSettings } from './model.ts'

/** The name of the service in pages and letters. */
export function brandName({ appName }: Config, { name }: BrandSettings): string {
  return name || appName
}

export async function currentName(platform: Platform): Promise<string> {
  const { brand } = await currentSettings(platform)
  return brandName(platform.config, brand)
}

/** Null for the pages' own colours. */
export function brandPalette(
  { versioned }: Pick<Platform, 'versioned'>,
  { brand, revision }: Settings,
): Promise<Palette | null> {
  return versioned.read('palette', revision, async () => (brand.accent === '' ? null : paletteOf(brand.accent)))
}

/** Origins to which the sign-in page can return, beside its own. */
export function returnOrigins({ trustedOrigins }: Config, { brand }: Settings): string[] {
  return [...new Set([...brand.return_origins, ...trustedOrigins])]
}

export function brandConfig({ config }: Pick<Platform, 'config'>, { brand, versions }: Settings): BrandConfig {
  const { logo, ...fields } = brand
  return {
    version: versions.brand,
    ...fields,
    shown_name: brandName(config, brand),
    logo_url: logo && logoPath(logo),
  }
}

export async function publicBrand(platform: Pick<Platform, 'versioned'>, settings: Settings): Promise<PublicBrand> {
  const { logo, home_url, terms_url, privacy_url, languages } = settings.brand
  return {
    logo_url: logo && logoPath(logo),
    palette: await brandPalette(platform, settings),
    home_url,
    terms_url,
    privacy_url,
    languages,
  }
}
