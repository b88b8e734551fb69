import { foreignHash, IMPORTED_PASSWORD } from '../../platform/passwords/foreign/foreign.ts'
import type { Platform } from '../../platform/platform.ts'
import { canOpen } from '../../platform/secrets/secret-box.ts'

export const UNSUPPORTED_HASH = 'its password hash has an unsupported form, or would take too long to check'

/** A sealed key can only be opened if an import here has sealed it; a file can have any text in its place. */
export function canBeChecked({ secretBox }: Platform, stored: string): boolean {
  const hash = foreignHash(stored)
  return hash !== undefined && (!hash.sealed || canOpen(secretBox, IMPORTED_PASSWORD, hash.sealed))
}
