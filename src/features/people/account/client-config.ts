import { z } from 'zod'
import { DEFAULT_APP_NAME } from '../../../config/config.ts'
import type { PageFacts } from '../../../http/pages/page-document.ts'
import type { Platform } from '../../../platform/platform.ts'
import { allowsPasskeySignUp } from '../../../rules/second-factor.ts'
import { getSupportEmail, isMailAvailable } from '../../delivery/mail/sender.ts'
import { providerName, type SocialProvider, socialProviders } from '../../ground/provider-presets/presets.ts'
import { brandName, publicBrand, returnOrigins } from '../../ground/settings/brand/brand.ts'
import { initialIcon } from '../../ground/settings/brand/initial-icon.ts'
import { PublicBrand } from '../../ground/settings/brand/input.ts'
import { OWN_COLOURS } from '../../ground/settings/brand/look/palette.ts'
import type { ShownLook } from '../../ground/settings/brand/look/shown.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { isAvailable } from './providers/protocol/connection.ts'

/** The facts the sign-in page needs before anybody has signed in. */
export async function clientConfig(platform: Platform, settings: Settings) {
  const { config, challenge } = platform
  const { authentication } = settings
  return {
    app_name: brandName(config, settings.brand),
    public_url: config.baseUrl,
    brand: await publicBrand(platform, settings),
    support_email: await getSupportEmail(platform),
    registration_enabled: authentication.registration_enabled,
    passkey_sign_up_enabled: allowsPasskeySignUp(authentication),
    email_verification_required: authentication.email_verification_required,
    email_changes_enabled: authentication.email_changes === 'verified' && isMailAvailable(platform, settings),
    forgot_password_shown: isMailAvailable(platform, settings),
    cooldown_seconds: authentication.email_user_action_cooldown_seconds,
    providers: socialProviders
      .filter((provider) => isAvailable(config, settings, provider))
      .map((id) => ({ id, name: providerName(config, id), preset: presetNameOf(platform, id) })),
    challenge_site_key: authentication.challenge_enabled ? (challenge.siteKey ?? null) : null,
    beta_gate_enabled: authentication.beta_gate_enabled,
    accounts_per_browser: authentication.accounts_per_browser,
    return_origins: returnOrigins(config, settings),
    own_data_shown: settings.hooks.own_data_shown,
    organizations_open: settings.organizations.creation === 'everyone',
    docs_enabled: config.docs === 'on',
  }
}

/** The facts that the HTML of every page contains. A page that leads to an application can have that one's look. */
export async function pageFacts(platform: Platform, application?: ApplicationLook): Promise<PageFacts> {
  const config = await clientConfig(platform, await currentSettings(platform))
  const brand = { ...config.brand, ...application?.look }
  return {
    title: config.app_name,
    iconUrl: iconOf({ ...config, brand }),
    styleOf: application?.client_id,
    styleUrl: brand.style_url,
    ground: brand.ground,
    config: application ? { ...config, application } : config,
    supportEmail: config.support_email,
  }
}

interface ApplicationLook {
  readonly client_id: string
  readonly look: ShownLook
}

/** Without a picture, the icon is the name's first letter. Null for the built-in icon under the built-in name. */
function iconOf({ app_name, brand }: Pick<ClientConfig, 'app_name' | 'brand'>): string | null {
  const picture = brand.favicon_url ?? brand.logo_url
  if (picture !== null || app_name === DEFAULT_APP_NAME) return picture
  return initialIcon(app_name, (brand.palette ?? OWN_COLOURS.palette).light)
}

/** Chooses the button's icon: the preset without its address. */
function presetNameOf({ config }: Platform, provider: SocialProvider): string {
  const preset = { provider_a: config.providerA, provider_b: config.providerB, community: 'community' }[provider]
  return preset.split(':', 1)[0] ?? preset
}

export const ClientConfig = z.object({
  app_name: z.string(),
  public_url: z.string(),
  brand: PublicBrand,
  support_email: z.string(),
  registration_enabled: z.boolean(),
  passkey_sign_up_enabled: z.boolean(),
  /** Users can ask for another address. */
  email_changes_enabled: z.boolean(),
  email_verification_required: z.boolean(),
  forgot_password_shown: z.boolean(),
  cooldown_seconds: z.int(),
  providers: z.array(
    z.object({
      id: z.enum(['provider_a', 'provider_b', 'community']),
      name: z.string(),
      preset: z.string(),
    }),
  ),
  challenge_site_key: z.string().nullable(),
  beta_gate_enabled: z.boolean(),
  accounts_per_browser: z.int(),
  return_origins: z.array(z.string()),
  own_data_shown: z.boolean(),
  /** Everybody can create organisations, not the administrator alone. */
  organizations_open: z.boolean(),
  docs_enabled: z.boolean(),
})
type ClientConfig = z.output<typeof ClientConfig>
