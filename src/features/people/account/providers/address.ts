import { createHash } from 'node:crypto'
import type { Flag } from '../../../../database/schema/flag.ts'
import { Email, isSynthetic } from '../../../../rules/email.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import type { Profile } from '../../../ground/provider-presets/preset.ts'
import type { SocialProvider } from '../../../ground/provider-presets/presets.ts'
import type { Settings } from '../../../ground/settings/model.ts'
import { refuseForeignDomain } from '../email-rules.ts'

export interface Address {
  readonly email: string
  readonly email_verified: Flag
}

/**
 * Uses a real address only if the provider vouches for it. Otherwise the address is synthetic and gets no mail, and
 * since its domain is unknown, a domain list refuses the user.
 */
export function addressOf(settings: Settings, provider: SocialProvider, profile: Profile): Address {
  if (provider === 'community') return synthetic(communityName(profile.id))
  const email = realAddress(profile)
  if (email !== undefined) {
    refuseForeignDomain(settings, email)
    return { email, email_verified: 1 }
  }
  if (settings.authentication.email_signup_domain_allowlist.length > 0) {
    throw new Refusal('EMAIL_NOT_VERIFIED', 'The provider does not vouch for your email address.')
  }
  return synthetic(`${provider}-${createHash('sha256').update(profile.id).digest('hex').slice(0, 40)}`)
}

/** An id with capitals is lower-cased and distinguished by its hash, behind a `+`, which no id contains. */
export function communityName(id: string): string {
  const plain = id.toLowerCase()
  if (plain === id) return `community-${id}`
  return `community-${plain}+${createHash('sha256').update(id).digest('hex').slice(0, 16)}`
}

/** The address for an id whose synthetic address belongs to an account of a former issuer. */
export function laterAddress({ email, email_verified }: Address, issuer: string): Address {
  const [name = ''] = email.split('@')
  const label = createHash('sha256').update(issuer).digest('hex').slice(0, 16)
  return { email: `${name}@${label}.community.local`, email_verified }
}

function realAddress({ verifiedEmail }: Profile): string | undefined {
  const { data: email } = Email.safeParse(verifiedEmail)
  return email === undefined || isSynthetic(email) ? undefined : email
}

export function synthetic(name: string): Address {
  return { email: `${name}@community.local`, email_verified: 0 }
}
