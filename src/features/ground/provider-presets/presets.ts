import type { Config } from '../../../config/config.ts'
import type { Provider } from '../../../database/schema/people/account.ts'
import { community } from './community.ts'
import { discord } from './discord.ts'
import { github } from './github.ts'
import type { OpenIdPreset, Preset } from './preset.ts'

const LONGEST_ADDRESS = 2_048

export type SocialProvider = Exclude<Provider, 'credential'>

export const socialProviders = ['provider_a', 'provider_b', 'community'] as const

/** Undefined only for `community`, if the deployment has none. */
export function presetOf(config: Config, provider: SocialProvider): Preset | undefined {
  switch (provider) {
    case 'provider_a':
      return namedPreset(config.providerA)
    case 'provider_b':
      return namedPreset(config.providerB)
    case 'community':
      return config.communityAuthUrl ? community(config.communityName, config.communityAuthUrl) : undefined
  }
}

/** The issuer without a password, and in one spelling however its address is written. */
export function issuerOf(preset: Preset): string {
  const { origin, pathname } = new URL(preset.kind === 'plain' ? preset.server.issuer : preset.issuer)
  return origin + pathname.replace(/\/+$/, '')
}

/**
 * Origins that pictures of users can have. Any other address could be one that a user has chosen, to see who looks at
 * the picture, from where and when.
 */
export function pictureOrigins(config: Config): readonly string[] {
  return [...new Set(socialProviders.flatMap((provider) => presetOf(config, provider)?.pictures ?? []))]
}

export function isPicture(config: Config, address: string): boolean {
  const { origin } = new URL(address)
  return pictureOrigins(config).some((known) => {
    const [start = '', end] = known.split('*')
    return end === undefined ? origin === known : origin.startsWith(start) && origin.endsWith(end)
  })
}

/** Undefined for anything but the address of a provider's picture. */
export function pictureAddress(config: Config, text: string | null | undefined): string | undefined {
  if (!text || text.length > LONGEST_ADDRESS) return undefined
  const address = URL.parse(text)
  const isWeb = address !== null && /^https?:$/.test(address.protocol)
  return isWeb && isPicture(config, address.href) ? address.href : undefined
}

/**
 * Checks a stored picture, which can be older than the rule, or come from a provider that this installation no longer
 * has.
 */
export function shownPicture(config: Config, stored: string | null): string | null {
  return pictureAddress(config, stored) ?? null
}

/** The name on the button. */
export function providerName(config: Config, provider: SocialProvider): string {
  return presetOf(config, provider)?.name ?? config.communityName
}

/** Must be registered at the provider exactly like this. */
export function callbackUrl(config: Config, provider: SocialProvider): string {
  return config.baseUrl + callbackPath[provider]
}

export const callbackPath = {
  provider_a: '/api/auth/callback/provider_a',
  provider_b: '/api/auth/callback/provider_b',
  community: '/api/auth/oauth2/callback/community',
} as const satisfies Record<SocialProvider, string>

export function namedPreset(text: string): Preset {
  const colon = text.indexOf(':')
  const [preset, address] = colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)]
  switch (preset) {
    case 'google':
      return openId('Google', 'https://accounts.google.com', ['https://*.googleusercontent.com'])
    case 'gitlab':
      return gitlab(address ?? 'https://gitlab.com')
    case 'microsoft':
      return microsoft(address ?? 'https://login.microsoftonline.com')
    case 'discord':
      return discord('https://discord.com')
    case 'github':
      return address === undefined ? github('https://github.com', 'https://api.github.com') : ownGithub(address)
    case 'oidc':
      return openId(new URL(address ?? '').host, address ?? '')
    default:
      throw new Error(`there is no preset for ${text}`)
  }
}

/** Each tenant is its own issuer. The national clouds differ only in their address. */
function microsoft(server: string): OpenIdPreset {
  const tenantIssuer = `${server}/{tenantid}/v2.0`
  return { ...openId('Microsoft', `${server}/common/v2.0`), tenantIssuer }
}

/** GitLab shows the Gravatar picture of a user who has uploaded none. */
function gitlab(issuer: string): OpenIdPreset {
  return openId('GitLab', issuer, [new URL(issuer).origin, 'https://secure.gravatar.com'])
}

function openId(name: string, issuer: string, pictures = [new URL(issuer).origin]): OpenIdPreset {
  return { kind: 'openid', name, issuer, pictures, scope: 'openid email profile' }
}

function ownGithub(server: string): Preset {
  return github(server, `${server}/api/v3`)
}
