import type { Platform } from '../../../platform/platform.ts'
import { passkeysOf } from '../account/factor-statements.ts'
import * as backupCodeStore from './backup-code-store.ts'
import * as totpStore from './totp-store.ts'

/** The second factors that protect an account. */
export async function readFactors({ meta }: Platform, userId: string) {
  const [totp, passkeys, backupCodesLeft] = await Promise.all([
    totpStore.totpOf(meta, userId, 1).executeTakeFirst(),
    passkeysOf(meta, userId).execute(),
    backupCodeStore.countBackupCodes(meta, userId),
  ])
  return { totp, passkeys, backupCodesLeft }
}
