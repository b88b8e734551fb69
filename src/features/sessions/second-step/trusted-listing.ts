import type { SignedInCall } from '../../../http/route.ts'
import { iso } from '../../../rules/iso-time.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { actorOf, recordAudit } from '../../audit/audit.ts'
import { deviceInWords } from '../../mail/device.ts'
import * as store from './store.ts'
import { trustHashes } from './trusted-devices.ts'

export async function listTrustedDevices(call: SignedInCall) {
  const { platform, caller } = call
  const here = trustHashes(call)
  const rows = await store.trustedDevices(platform.meta, caller.user.id, platform.now())
  return rows.map((row) => ({
    id: row.id,
    createdAt: iso(row.created_at),
    lastUsedAt: iso(row.last_used_at),
    expiresAt: iso(row.expires_at),
    ipAddress: row.ip,
    device: deviceInWords(row.user_agent),
    place: row.place,
    isCurrent: here.includes(row.token_hash),
  }))
}

/** The next sign-in there asks for the second step again. */
export async function revokeTrustedDevice(call: SignedInCall, id: string) {
  const { platform, caller } = call
  if (!(await store.deleteTrustedDevice(platform.meta, caller.user.id, id))) {
    throw new Refusal('NOT_FOUND', 'You have no such trusted device.')
  }
  await recordAudit(platform, actorOf(call), { action: 'factor.revoke_trust' })
  return { status: true as const }
}
