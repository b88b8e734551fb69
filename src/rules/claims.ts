import { isOneLine } from './one-line.ts'

/**
 * Names that a product cannot give a claim: those of RFC 7519, RFC 8693, OpenID Connect and of this service, whose
 * readers trust what they say.
 */
const RESERVED: ReadonlySet<string> = new Set([
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'cnf', 'cty', 'typ', 'alg', 'kid', 'events', 'toe', 'txn'],
  ...['act', 'may_act', 'scope', 'client_id', 'resource', 'token_type', 'username', 'active'],
  ...['nonce', 'auth_time', 'acr', 'amr', 'azp', 'at_hash', 'c_hash', 's_hash', 'sid', 'sub_jwk', 'claims'],
  ...['name', 'given_name', 'family_name', 'middle_name', 'nickname', 'preferred_username', 'profile', 'picture'],
  ...['website', 'email', 'email_verified', 'gender', 'birthdate', 'zoneinfo', 'locale', 'phone_number'],
  ...['phone_number_verified', 'address', 'updated_at', '_claim_names', '_claim_sources'],
  ...['kind', 'role', 'roles', 'groups', 'entitlements', 'approval', 'read_only', 'grant_id', 'organizations'],
  ...['staff_scopes', 'ends'],
  ...['org_id', 'org_slug', 'org_name', 'org_roles', 'org_permissions', '__proto__'],
])

const UNSEEN = /[\s\p{Default_Ignorable_Code_Point}]/gu
const LONGEST = 128

/** Names that differ in capitals, forms of a letter or invisible characters are one name to some readers. */
export function isReservedClaim(name: string): boolean {
  return RESERVED.has(name.normalize('NFKC').replace(UNSEEN, '').toLowerCase())
}

/** A name that a claim can have, reserved or not. */
export function isClaimName(name: string): boolean {
  return name.length >= 1 && name.length <= LONGEST && isOneLine(name)
}

const MOST_BYTES = 4 * 1024

/** The claims of a product, together. */
export function areClaimsTooLarge(claims: object): boolean {
  return Buffer.byteLength(JSON.stringify(claims)) > MOST_BYTES
}
