import type { AuthorizationServer } from 'oauth4webapi'

/** A person as a provider knows them. */
export interface Profile {
  readonly id: string
  /** Absent where there is none, or where the provider does not vouch for it. */
  readonly verifiedEmail: string | undefined
  readonly name: string | undefined
  readonly image: string | undefined
}

/** JSON of the provider, asked for in the person's name. */
export type Ask = (address: string) => Promise<unknown>

export interface OpenIdPreset {
  readonly kind: 'openid'
  readonly name: string
  /** Where discovery starts. */
  readonly issuer: string
  /** What discovery says of itself, where every tenant is an issuer of its own. */
  readonly tenantIssuer?: string
  readonly scope: string
}

export interface PlainPreset {
  readonly kind: 'plain'
  readonly name: string
  readonly server: AuthorizationServer
  readonly scope: string | undefined
  profile(ask: Ask): Promise<Profile>
}

export type Preset = OpenIdPreset | PlainPreset
