import type { Platform } from '../../../../platform/platform.ts'
import type { SocialProvider } from '../../provider-presets/presets.ts'
import type { UpdateBrand } from '../brand/input.ts'
import { type Logo, logoOf } from '../brand/logo.ts'
import type {
  SecretChange,
  UpdateAi,
  UpdateAssistants,
  UpdateAuthentication,
  UpdateCredits,
  UpdateEmail,
} from '../input.ts'
import type { Settings } from '../model.ts'
import { type SettingsSecret, sealSetting } from '../secrets.ts'

// Each returns the whole new part: fields that were not sent stay as they are.

export function changedAuthentication(
  platform: Platform,
  { authentication: now }: Settings,
  sent: UpdateAuthentication,
): Settings['authentication'] {
  const provider = (name: SocialProvider) => ({
    enabled: sent[`${name}_enabled`] ?? now[name].enabled,
    client_id: sent[`${name}_client_id`] ?? now[name].client_id,
    client_secret: changedSecret(
      platform,
      `${name}_client_secret`,
      now[name].client_secret,
      sent[`${name}_client_secret`],
    ),
  })
  return {
    ...over(now, sent),
    email_signup_domain_allowlist: [
      ...new Set(sent.email_signup_domain_allowlist ?? now.email_signup_domain_allowlist),
    ],
    provider_a: provider('provider_a'),
    provider_b: provider('provider_b'),
    community: provider('community'),
  }
}

export function changedEmail(platform: Platform, { email: now }: Settings, sent: UpdateEmail): Settings['email'] {
  const smtp_host = sent.smtp_host ?? now.smtp_host
  // A password is for the server that it was entered for, and is never shown to another.
  const kept = smtp_host === now.smtp_host ? now.smtp_password : ''
  const { api_key, smtp_password, ...plain } = sent
  return {
    ...over(now, plain),
    api_key: changedSecret(platform, 'email_api_key', now.api_key, api_key),
    smtp_password: changedSecret(platform, 'email_smtp_password', kept, smtp_password),
  }
}

export function changedCredits(
  _platform: Platform,
  { credits: now }: Settings,
  sent: UpdateCredits,
): Settings['credits'] {
  return over(now, sent)
}

export function changedAi(platform: Platform, { ai: now }: Settings, sent: UpdateAi): Settings['ai'] {
  const { api_key, ...plain } = sent
  return { ...over(now, plain), api_key: changedSecret(platform, 'ai_api_key', now.api_key, api_key) }
}

export function changedAssistants(
  _platform: Platform,
  { assistants: now }: Settings,
  sent: UpdateAssistants,
): Settings['assistants'] {
  return over(now, sent)
}

export function changedBrand(
  _platform: Platform,
  { brand: now }: Settings,
  { logo, ...sent }: UpdateBrand,
): Settings['brand'] {
  const next = over(now, sent)
  const return_origins = [...new Set(next.return_origins)]
  return {
    ...next,
    logo: changedLogo(now.logo, logo),
    return_origins,
    languages: [...new Set(next.languages)],
  }
}

/** The fields of the part that were sent, in place of those it has. */
function over<Fields extends object>(
  now: Fields,
  sent: { readonly [Name in keyof Fields]?: Fields[Name] | undefined },
): Fields {
  const given = Object.entries(sent).filter(([name, value]) => name in now && value !== undefined)
  return { ...now, ...Object.fromEntries(given) }
}

function changedSecret(
  platform: Platform,
  name: SettingsSecret,
  sealed: string,
  change: SecretChange | undefined,
): string {
  switch (change?.action) {
    case 'replace':
      return sealSetting(platform, name, change.value)
    case 'remove':
      return ''
    default:
      return sealed
  }
}

function changedLogo(now: Logo | null, change: UpdateBrand['logo']): Logo | null {
  switch (change?.action) {
    case 'replace':
      return logoOf(change.value)
    case 'remove':
      return null
    default:
      return now
  }
}
