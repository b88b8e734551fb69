import type { Platform } from '../../platform/platform.ts'
import * as store from './store.ts'

/** What guards an account beside its credential. */
export async function readFactors({ meta }: Platform, userId: string) {
  const [totp, passkeys, backupCodesLeft] = await Promise.all([
    store.totpOf(meta, userId, 1),
    store.passkeysOf(meta, userId),
    store.countBackupCodes(meta, userId),
  ])
  return { totp, passkeys, backupCodesLeft }
}
