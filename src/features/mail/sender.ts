import type { MailRoute } from '../../platform/mail/mail.ts'
import type { Platform } from '../../platform/platform.ts'
import { brandName, brandPalette } from '../settings/brand/brand.ts'
import type { Language } from '../settings/brand/input.ts'
import { logoPath } from '../settings/brand/logo.ts'
import type { Settings } from '../settings/model.ts'
import { openSetting } from '../settings/secrets.ts'
import { findAdministrator } from '../users/users.ts'
import type { LetterHead } from './letter.ts'

/** Undefined if no provider is chosen, or if this deployment does not offer it. */
export function findMailRoute(platform: Platform, { email }: Settings): MailRoute | undefined {
  if (email.provider === null || !platform.mail.providers.includes(email.provider)) return undefined
  if (email.provider !== 'api') return { provider: email.provider }
  return { provider: 'api', apiKey: openSetting(platform, 'email_api_key', email.api_key) ?? '' }
}

/** Every mail comes from the administrator's address. */
export async function getSender(platform: Platform, { brand }: Pick<Settings, 'brand'>) {
  return { name: brandName(platform.config, brand), address: await getSupportEmail(platform) }
}

/** The operator's part of every letter. If the reader's language is unknown, the operator's first one is used. */
export async function letterHead(
  platform: Platform,
  settings: Settings,
  language: Language = settings.brand.languages[0] ?? 'en',
): Promise<LetterHead> {
  const { config } = platform
  const { brand } = settings
  return {
    appName: brandName(config, brand),
    supportEmail: await getSupportEmail(platform),
    language,
    palette: await brandPalette(platform, settings),
    // Mail programs show no SVG.
    logoUrl: brand.logo?.type === 'png' ? `${config.baseUrl}${logoPath(brand.logo)}` : undefined,
  }
}

/** The administrator's address, which is meant to be public. */
export async function getSupportEmail({ meta }: Platform): Promise<string> {
  const administrator = await findAdministrator(meta)
  if (!administrator) throw new Error('there is no administrator')
  return administrator.email
}
