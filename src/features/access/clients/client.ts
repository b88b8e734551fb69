import type { ApplicationKind, ApplicationTable } from '../../../database/schema/products/applications.ts'
import type { SigningAlgorithm } from '../../../database/schema/products/signing.ts'
import type { GrantKind } from '../../../rules/caller.ts'
import { type GrantedScope, IDENTITY_SCOPES, isGrantedScope, SCOPES } from '../../../rules/scopes.ts'
import { isRegisteredRedirect } from './redirects.ts'

/** A program that can ask a user for access: the command-line client, or an application. */
export interface Client {
  readonly id: string
  readonly name: string
  readonly kind: 'tool' | ApplicationKind
  /** The most that an application can ask for. */
  readonly scopes: readonly GrantedScope[]
  /** True if it describes itself, in a document or by registering: the administrator has not chosen it. */
  readonly isGuest: boolean
  readonly logoUrl: string | null
  /** The resource address it accepts tokens for. */
  readonly resource: string | null
  readonly homeUrl: string | null
  readonly skipsConsent: boolean
  readonly idTokenAlgorithm: SigningAlgorithm
  readonly requiresPkce: boolean
  readonly secretHash: string | null
  readonly postLogoutRedirectUris: readonly string[]
  hasRedirect(redirectUri: string): boolean
  /** What the administrator can change. Undefined for the built-in command-line client. */
  readonly asStored: Stored | undefined
  /** The settings revision it was read at; undefined for the command-line client. */
  readonly settingsRevision: string | undefined
}

type Stored = Pick<
  ApplicationTable,
  'redirect_uris' | 'scopes' | 'secret_hash' | 'skip_consent' | 'origin' | 'require_pkce'
>

const EVERY_SCOPE = [...Object.keys(SCOPES), ...Object.keys(IDENTITY_SCOPES)].filter(isGrantedScope)

/** The domain that a client is known by; null if it is known by something else. */
export function domainOf(clientId: string): string | null {
  return URL.parse(clientId)?.host ?? null
}

export function clientOf(row: ApplicationTable & { readonly settings_revision: string | null }): Client {
  const redirectUris: readonly string[] = JSON.parse(row.redirect_uris)
  const isGuest = row.origin !== 'administrator'
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    scopes: isGuest ? EVERY_SCOPE : row.scopes.split(' ').filter(isGrantedScope),
    isGuest,
    logoUrl: row.logo_url,
    resource: row.resource,
    homeUrl: row.home_url,
    skipsConsent: row.skip_consent === 1,
    idTokenAlgorithm: row.id_token_algorithm,
    requiresPkce: row.require_pkce === 1,
    secretHash: row.secret_hash,
    postLogoutRedirectUris: JSON.parse(row.post_logout_redirect_uris),
    hasRedirect: (redirectUri) => isRegisteredRedirect(row, redirectUris, redirectUri),
    asStored: row,
    settingsRevision: row.settings_revision ?? undefined,
  }
}

export function grantKindOf({ kind }: Client): Extract<GrantKind, 'tool' | 'application'> {
  return kind === 'tool' ? 'tool' : 'application'
}

/** RFC 8628. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** RFC 8693. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The grant types of this kind at the token endpoint. */
export const GRANT_TYPES = {
  tool: ['authorization_code', 'refresh_token', DEVICE_GRANT],
  web: ['authorization_code', 'refresh_token', DEVICE_GRANT],
  browser: ['authorization_code', 'refresh_token'],
  native: ['authorization_code', 'refresh_token', DEVICE_GRANT],
  service: ['client_credentials', TOKEN_EXCHANGE],
} as const satisfies Record<Client['kind'], readonly string[]>

export function keepsSecret(kind: ApplicationKind): boolean {
  return kind === 'web' || kind === 'service'
}
