import { z } from 'zod'
import type { SignedInCall } from '../../../http/route.ts'
import { iso } from '../../../rules/time.ts'
import { deviceInWords } from '../../delivery/mail/circumstances/device.ts'
import { SESSIONS_AT_MOST } from './sessions.ts'
import * as store from './store.ts'

export const ListedSessions = z.array(
  z.object({
    id: z.string(),
    userId: z.string(),
    token: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime(),
    ipAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
    device: z.string().nullable(),
    place: z.string().nullable(),
    isCurrent: z.boolean(),
    /** The administrator who acts as the user in it. */
    impersonatedBy: z.string().nullable(),
  }),
)

export async function listSessions({ platform, caller }: SignedInCall) {
  const rows = await store.activeSessions(platform.meta, caller.user.id, platform.now(), SESSIONS_AT_MOST)
  return rows.map((row) => ({
    id: row.id,
    userId: row.user_id,
    token: row.id,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.refreshed_at),
    expiresAt: iso(row.expires_at),
    lastUsedAt: iso(row.last_used_at),
    ipAddress: row.ip,
    userAgent: row.user_agent,
    device: deviceInWords(row.user_agent),
    place: row.place,
    isCurrent: row.id === caller.credential.id,
    impersonatedBy: row.acted_by,
  }))
}
