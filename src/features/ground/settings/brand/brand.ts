import type { Config } from '../../../../config/config.ts'
import type { Platform } from '../../../../platform/platform.ts'
import type { Settings } from '../model.ts'
import { type Palette, paletteOf } from './accent.ts'
import type { PublicBrand } from './input.ts'
import { logoPath } from './logo.ts'

/** The name of the service in pages and letters. */
export function brandName({ appName }: Config, { name }: Settings['brand']): string {
  return name || appName
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
