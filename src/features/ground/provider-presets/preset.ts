import type { AuthorizationServer } from 'oauth4webapi'

/** A user's profile at a provider. */
export interface Profile {
  readonly id: string
  /** Undefined unless the provider gives an address and says that it is verified. */
  readonly verifiedEmail: string | undefined
  readonly name: string | undefined
  /** The provider's name for the user, in one word; not unique here. */
  readonly handle: string | undefined
  /** The address as the provider gives it; `pictureAddress` checks it. */
  readonly image: string | undefined
}

/** Fetches JSON from the provider on the user's behalf. */
type Ask = (address: string) => Promise<unknown>

export interface OpenIdPreset {
  readonly kind: 'openid'
  readonly name: string
  /** The origins that serve its users' pictures; `*` is for any number of letters. */
  readonly pictures: readonly string[]
  /** The address where discovery starts. */
  readonly issuer: string
  /** The issuer in the discovery document, if each tenant is its own issuer. */
  readonly tenantIssuer?: string
  readonly scope: string
}

export interface PlainPreset {
  readonly kind: 'plain'
  readonly name: string
  readonly pictures: readonly string[]
  readonly server: AuthorizationServer
  readonly scope: string | undefined
  profile(ask: Ask): Promise<Profile>
}

export type Preset = OpenIdPreset | PlainPreset
