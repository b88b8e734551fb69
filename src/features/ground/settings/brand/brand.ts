import type { Config } from '../../../../config/config.ts'
import type { Platform } from '../../../../platform/platform.ts'
import type { Settings } from '../model.ts'
import type { PublicBrand } from './input.ts'
import { type Colours, coloursOf } from './look/palette.ts'
import { addressOfOwn, type ShownLook, shownLook } from './look/shown.ts'

type Cached = Pick<Platform, 'versioned'>

/** The name of the service in pages and letters. */
export function brandName({ appName }: Config, { name }: Settings['brand']): string {
  return name || appName
}

export function brandColours({ versioned }: Cached, { brand, revision }: Settings): Promise<Colours> {
  return versioned.read('colours', revision, async () => coloursOf(brand))
}

/** Origins to which the sign-in page can return, beside its own. */
export function returnOrigins({ trustedOrigins }: Config, { brand }: Settings): string[] {
  return [...new Set([...brand.return_origins, ...trustedOrigins])]
}

function brandLook({ versioned }: Cached, { brand, revision }: Settings): Promise<ShownLook> {
  return versioned.read('look', revision, async () => shownLook(brand, addressOfOwn))
}

export async function publicBrand(platform: Cached, settings: Settings): Promise<PublicBrand> {
  const { home_url, terms_url, privacy_url, languages } = settings.brand
  return { ...(await brandLook(platform, settings)), home_url, terms_url, privacy_url, languages }
}
