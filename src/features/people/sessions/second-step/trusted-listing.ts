import type { SignedInCall } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { iso } from '../../../../rules/time.ts'
import { deviceInWords } from '../../../delivery/mail/circumstances/device.ts'
import { decideSignedIn } from '../sessions.ts'
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
    userAgent: row.user_agent,
    device: deviceInWords(row.user_agent),
    place: row.place,
    isCurrent: here.includes(row.token_hash),
  }))
}

/** The next sign-in there needs the second step again. */
export async function revokeTrustedDevice(call: SignedInCall, id: string) {
  const { meta } = call.platform
  const trusted = store.trustedDeviceOf(meta, call.caller.user.id, id)
  await decideSignedIn(call, [trusted], async (act, user, [device]) => {
    if (!device) throw new Refusal('NOT_FOUND', 'You have no such trusted device.')
    act.write(store.deleteTrustedDevice(meta, id))
    act.record('factor.revoke_trust', { user })
  })
  return { status: true as const }
}
