import type { MailRoute, SmtpServer } from '../../../platform/mail/mail.ts'
import type { Platform } from '../../../platform/platform.ts'
import { brandName, brandPalette } from '../../ground/settings/brand/brand.ts'
import type { Language } from '../../ground/settings/brand/input.ts'
import { logoPath } from '../../ground/settings/brand/logo.ts'
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
