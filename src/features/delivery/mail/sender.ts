import type { MailRoute } from '../../../platform/mail/mail.ts'
import type { Platform } from '../../../platform/platform.ts'
import { brandName, brandPalette } from '../../ground/settings/brand/brand.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { logoPath } from '../../ground/settings/brand/logo.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { openSetting } from '../../ground/settings/secrets.ts'
import { findAdministrator } from '../../people/users/users.ts'
import type { LetterHead } from './letter.ts'

/** If a provider is chosen; one that this deployment does not offer counts as none. */
export function isMailAvailable(platform: Platform, settings: Settings): boolean {
  return offeredProvider(platform, settings) !== undefined
}

function offeredProvider({ mail }: Platform, { email }: Settings): MailRoute['provider'] | undefined {
  return mail.providers.find((offered) => offered === email.provider)
}

/** Undefined if mail is not available. */
export function findMailRoute(platform: Platform, settings: Settings): MailRoute | undefined {
  const provider = offeredProvider(platform, settings)
  if (provider !== 'api') return provider && { provider }
  return { provider, apiKey: openSetting(platform, 'email_api_key', settings.email.api_key) ?? '' }
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
