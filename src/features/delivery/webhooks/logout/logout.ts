import type { SigningAlgorithm } from '../../../../database/schema/products/signing.ts'
import type { Meta } from '../../../../database/store.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { newId } from '../../../../rules/ids.ts'
import { forgetSignIns, signInsEnded } from '../../../access/grants/sign-in-statements.ts'
import type { Event } from '../../../ground/events/listing.ts'
import { sign } from '../../../ground/signing/signing.ts'

/** The application to notify. */
export interface Recipient {
  readonly clientId: string
  readonly algorithm: SigningAlgorithm
}

/** The events that end a sign-in at this application, and the statement that forgets those sign-ins. */
export async function logoutsAmong(meta: Meta, applicationId: string, events: readonly Event[]) {
  const ended = events.flatMap(({ type, data }) =>
    type === 'session.ended' && typeof data.id === 'string' ? [data.id] : [],
  )
  const deleted = events.flatMap(({ type, user_id }) => (type === 'user.deleted' && user_id ? [user_id] : []))
  if (ended.length + deleted.length === 0) return { events: [], forget: [] }
  const signIns = await signInsEnded(meta, applicationId, ended, deleted)
  const sessions = new Set<unknown>(signIns.map(({ session_id }) => session_id))
  const users = new Set<unknown>(signIns.map(({ user_id }) => user_id))
  return {
    events: events.filter(({ type, user_id, data }) =>
      type === 'user.deleted' ? users.has(user_id) : sessions.has(data.id),
    ),
    forget: [
      forgetSignIns(
        meta,
        applicationId,
        signIns.map(({ session_id }) => session_id),
      ),
    ],
  }
}

const LIFETIME_SECONDS = 120
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/**
 * OpenID Connect Back-Channel Logout section 2.4. Signed for each attempt, so that it has not expired and does not
 * repeat one that was refused. Without a session, all sessions of the user end.
 */
export async function logoutRequest(platform: Platform, { clientId, algorithm }: Recipient, body: string) {
  const { type, user_id, data } = JSON.parse(body)
  const claims = {
    sub: user_id,
    jti: newId(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    ...(type === 'session.ended' && { sid: data.id }),
  }
  const about = { algorithm, audience: clientId, lifetimeSeconds: LIFETIME_SECONDS, type: 'logout+jwt' }
  const token = await sign(platform, claims, about)
  return { headers: FORM, body: String(new URLSearchParams({ logout_token: token })) }
}
