import { foreignHash, IMPORTED_PASSWORD } from '../../platform/passwords/foreign/foreign.ts'
import type { Platform } from '../../platform/platform.ts'
import { canOpen } from '../../platform/secrets/secret-box.ts'
import { isStorable } from '../../rules/unstorable.ts'

export const UNSUPPORTED_HASH = 'its password hash has an unsupported form, or would take too long to check'

const SUPABASE =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,3}),p=1,ss=([^,$]*),sk=([^,$]+)\$([A-Za-z0-9+/=_-]+)\$([A-Za-z0-9+/=_-]+)$/

/** Supabase keeps Firebase's hashes with the project's key in plain text; here it is sealed. Others are left as they are. */
export function withSealedKey({ secretBox }: Pick<Platform, 'secretBox'>, stored: string): string {
  const [, memory, rounds, separator = '', key, salt = '', hash = ''] = SUPABASE.exec(stored) ?? []
  if (key === undefined) return stored
  const sealed = secretBox.seal(IMPORTED_PASSWORD, standard(key))
  return `$firebase$ln=${memory},r=${rounds}$${standard(separator)}$${standard(salt)}$${standard(hash)}$${sealed}`
}

/** Firebase writes base64 with the URL-safe alphabet. */
export function standard(base64: string): string {
  return base64.replaceAll('-', '+').replaceAll('_', '/')
}

/** A sealed key can only be opened if an import here has sealed it; a file can have any text in its place. */
export function canBeChecked({ secretBox }: Platform, stored: string): boolean {
  const hash = isStorable(stored) ? foreignHash(stored) : undefined
  return hash !== undefined && (!hash.sealed || canOpen(secretBox, IMPORTED_PASSWORD, hash.sealed))
}
