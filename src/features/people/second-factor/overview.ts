import type { InferResult } from 'kysely'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { requiresFactor } from '../../../rules/second-factor.ts'
import { iso } from '../../../rules/time.ts'
import { signInsOf } from '../../ground/audit/log.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { passwordAccountOf } from '../account/statements.ts'
import { listTrustedDevices } from '../sessions/trusted-devices.ts'
import { wirePasskey } from './passkeys/passkeys.ts'
import { passkeysOf } from './passkeys/store.ts'
import * as store from './store.ts'

/** The content of the page "Security", except sessions and tools. */
export async function securityOverview(call: SignedInCall) {
  const { platform, caller } = call
  const { user } = caller
  const { authentication } = await currentSettings(platform, caller.settingsRevision)
  const [[account], factors, trustedDevices, signIns] = await Promise.all([
    platform.meta.primary.run(passwordAccountOf(platform.meta, user.id)),
    factorsOf(platform, user.id),
    listTrustedDevices(call),
    signInsOf(platform.meta, user.id),
  ])
  const { totp, passkeys, backupCodesLeft } = factors
  return {
    hasPassword: typeof account?.password_hash === 'string',
    password_breached: isBreached(account),
    emailVerified: user.email_verified === 1,
    isAllowed: authentication.second_factor !== 'off',
    isRequired: requiresFactor(authentication, user),
    totp: totp
      ? {
          createdAt: iso(totp.created_at),
          lastUsedAt: totp.last_used_at === null ? null : iso(totp.last_used_at),
        }
      : null,
    backupCodesLeft,
    passkeys: passkeys.map(wirePasskey),
    trustedDevices,
    recentSignIns: signIns.map(({ created_at, action, ip, details }) => ({
      createdAt: iso(created_at),
      isRefused: action !== 'user.sign_in',
      by: String(details.provider ?? ''),
      secondStep: typeof details.second_step === 'string' ? details.second_step : null,
      ipAddress: ip,
    })),
  }
}

async function factorsOf({ meta }: Platform, userId: string) {
  const [[totp], passkeys, backupCodes] = await meta.snapshot(
    [store.totpOf(meta, userId, 1), passkeysOf(meta, userId), store.unusedBackupCodes(meta, userId)],
    'primary',
  )
  return { totp, passkeys, backupCodesLeft: backupCodes.length }
}

/** Of this password, not of one before it. */
function isBreached(account: InferResult<ReturnType<typeof passwordAccountOf>>[number] | undefined): boolean {
  return account !== undefined && (account.breached_at ?? -1) >= account.updated_at
}
