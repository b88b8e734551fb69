import { z } from 'zod'
import { DEFAULT_APP_NAME } from '../../../config/config.ts'
import type { PageFacts } from '../../../http/pages/page-document.ts'
import type { Platform } from '../../../platform/platform.ts'
import { getSupportEmail, isMailAvailable } from '../../delivery/mail/sender.ts'
import { providerName, type SocialProvider, socialProviders } from '../../ground/provider-presets/presets.ts'
import { OWN_PALETTE } from '../../ground/settings/brand/accent.ts'
import { brandName, publicBrand, returnOrigins } from '../../ground/settings/brand/brand.ts'
import { initialIcon } from '../../ground/settings/brand/initial-icon.ts'
import { PublicBrand } from '../../ground/settings/brand/input.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { allowsPasskeySignUp } from '../../ground/settings/requirements.ts'
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
    forgot_password_shown: isMailAvailable(platform, settings),
    cooldown_seconds: authentication.email_user_action_cooldown_seconds,
    providers: socialProviders
      .filter((provider) => isAvailable(config, settings, provider))
      .map((id) => ({ id, name: providerName(config, id), preset: presetNameOf(platform, id) })),
    challenge_site_key: authentication.challenge_enabled ? (challenge.siteKey ?? null) : null,
    beta_gate_enabled: authentication.beta_gate_enabled,
    return_origins: returnOrigins(config, settings),
  }
}

/** The facts that the HTML of every page contains. */
export async function pageFacts(platform: Platform): Promise<PageFacts> {
  const config = await clientConfig(platform, await currentSettings(platform))
  return { title: config.app_name, iconUrl: iconOf(config), config, supportEmail: config.support_email }
}

/** Without a logo, the icon is the name's first letter. Null for the built-in icon under the built-in name. */
function iconOf({ app_name, brand }: ClientConfig): string | null {
  if (brand.logo_url !== null || app_name === DEFAULT_APP_NAME) return brand.logo_url
  return initialIcon(app_name, (brand.palette ?? OWN_PALETTE).light)
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
  return_origins: z.array(z.string()),
})
type ClientConfig = z.output<typeof ClientConfig>
