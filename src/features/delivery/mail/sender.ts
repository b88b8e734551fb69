import type { MailRoute, SmtpServer } from '../../../platform/mail/mail.ts'
import type { Platform } from '../../../platform/platform.ts'
import { given } from '../../../rules/given.ts'
import type { LetterLook } from '../../ground/letters/letters.ts'
import { brandColours, brandName } from '../../ground/settings/brand/brand.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { coloursOf } from '../../ground/settings/brand/look/palette.ts'
import { stackOf } from '../../ground/settings/brand/look/sheet.ts'
import { addressOfOwn } from '../../ground/settings/brand/look/shown.ts'
import { usableProvider } from '../../ground/settings/mail-provider.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { openSetting } from '../../ground/settings/secrets.ts'
import { findAdministrator } from '../../people/users/statements.ts'
import type { LetterHead } from './texts/layout.ts'

/** The sender, if a provider is chosen; one that this deployment does not offer counts as none. */
export function isMailAvailable(platform: Platform, settings: Settings): boolean {
  return usableProvider(platform.mail, settings.email) !== undefined
}

/** Undefined if mail is not available. */
export function findMailRoute(platform: Platform, { email }: Settings): MailRoute | undefined {
  const provider = usableProvider(platform.mail, email)
  switch (provider) {
    case 'api':
      return { provider, apiKey: openSetting(platform, 'email_api_key', email.api_key) ?? '' }
    case 'smtp':
      return { provider, server: () => smtpServer(platform, email) }
    default:
      return provider && { provider }
  }
}

/** Opened only if it is used: a deployment's server needs no password of the settings. */
function smtpServer(platform: Platform, email: Settings['email']): SmtpServer {
  return {
    host: email.smtp_host,
    port: email.smtp_port,
    user: email.smtp_user,
    password: openSetting(platform, 'email_smtp_password', email.smtp_password) ?? '',
  }
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
  look: LetterLook | undefined = undefined,
): Promise<LetterHead> {
  const { config } = platform
  const { logo_path, typefaces, ...style } = look ?? {}
  const brand = { ...settings.brand, ...given(style) }
  const ownLogo = brand.logo?.type === 'png' ? addressOfOwn('logo', brand.logo.digest) : undefined
  const logo = logo_path ?? ownLogo
  return {
    appName: brandName(config, brand),
    supportEmail: await getSupportEmail(platform),
    language,
    colours: look ? coloursOf(brand) : await brandColours(platform, settings),
    font: typefaces ?? stackOf(brand.font),
    radius: brand.radius,
    // Mail programs show no SVG.
    logoUrl: logo && `${config.baseUrl}${logo}`,
  }
}

/** The administrator's address, which is meant to be public. */
export async function getSupportEmail({ meta }: Platform): Promise<string> {
  const administrator = await findAdministrator(meta)
  if (!administrator) throw new Error('there is no administrator')
  return administrator.email
}
