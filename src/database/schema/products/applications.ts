import type { Flag } from '../flag.ts'
import type { SigningAlgorithm } from './signing.ts'

export type ApplicationKind = 'web' | 'browser' | 'native' | 'service'

export type ApplicationOrigin = 'administrator' | 'document' | 'registration'

/** Registered by the administrator. Its id is its `client_id`. */
export interface ApplicationTable {
  id: string
  /** The name by which a file of settings finds it. */
  key: string | null
  name: string
  kind: ApplicationKind
  /** JSON arrays. */
  redirect_uris: string
  post_logout_redirect_uris: string
  /** Separated by spaces: the most that it can ask for. */
  scopes: string
  logo_url: string | null
  home_url: string | null
  skip_consent: Flag
  id_token_algorithm: SigningAlgorithm
  require_pkce: Flag
  /** Notified when a session ends in which a user has signed in to the application. */
  backchannel_logout_uri: string | null
  /** The resource address it accepts tokens for (RFC 8707). */
  resource: string | null
  /** JSON: what it has of its own instead of the installation's brand, without its pictures' bytes. */
  brand: string | null
  /** The source of its description: the administrator, the document at its id, or the client's registration. */
  origin: ApplicationOrigin
  /** The time until which its document need not be fetched again. */
  fresh_until: number | null
  /** The block of addresses that it registered itself from. */
  registered_from: string | null
  /** Null if it cannot keep a secret. */
  secret_hash: string | null
  created_at: number
  updated_at: number
}

/** A picture of an application's brand. */
export interface ApplicationPictureTable {
  application_id: string
  name: 'logo' | 'logo_dark' | 'favicon'
  type: 'png' | 'svg'
  digest: string
  /** Base64. */
  data: string
}

/** Refusals of an application at the OAuth and OpenID Connect endpoints. */
export interface ApplicationRefusalTable {
  id: string
  application_id: string
  error: string
  description: string
  /** The path. */
  endpoint: string
  ip: string
  created_at: number
}

/** Declared by the administrator, in words for the consent page. */
export interface ProductScopeTable {
  scope: string
  description: string
  created_at: number
}
