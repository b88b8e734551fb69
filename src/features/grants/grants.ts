import type { ApiGrantTable } from '../../database/schema/grants.ts'
import type { Call, SignedInCall } from '../../http/route.ts'
import { type Page, sliceOf } from '../../rules/paging.ts'
import { Refusal } from '../../rules/refusal.ts'
import { PREFIX, tokenHash } from '../../rules/tokens.ts'
import { actorOf, recordAudit } from '../audit/audit.ts'
import type { Client } from '../clients/client.ts'
import { getUser } from '../users/users.ts'
import type { Grant } from './input.ts'
import { storedScopes } from './requests/requested-scopes.ts'
import * as store from './store.ts'

export async function listGrants({ platform }: Call, userId: string, page: Page, kinds: store.Kinds) {
  const { meta, now } = platform
  const { items, total } = await store.grantsOf(meta, userId, kinds, now(), sliceOf(page))
  return { items: items.map((grant) => wireGrant(grant, platform.now())), total }
}

/** Another user's grant is as unknown as one that never was. */
export async function revokeOwnGrant(call: SignedInCall, id: string): Promise<void> {
  const { platform, caller } = call
  const grant = await store.grantOfUser(platform.meta, id, caller.user.id)
  if (!grant) throw new Refusal('NOT_FOUND', 'You have no such connection.')
  await revokeGrant(call, id, 'by the user')
}

export async function listUserGrants(call: Call, userId: string, page: Page) {
  await getUser(call.platform.meta, userId)
  return listGrants(call, userId, page, 'all')
}

/** By the administrator, in whose name it is recorded. */
export async function revokeUserGrant(call: SignedInCall, userId: string, id: string): Promise<void> {
  const { meta, now } = call.platform
  if (!(await store.grantOfUser(meta, id, userId))) {
    throw new Refusal('NOT_FOUND', 'This user has no such connection.')
  }
  const [, [revoked]] = await meta.batch(store.revokeGrant(meta, id, now()))
  if (!revoked) return
  await recordAudit(call.platform, actorOf(call), {
    action: 'grant.revoked',
    subject: { type: 'grant', id },
    details: { reason: 'by the administrator', user: userId },
  })
}

/** RFC 7009: whichever of its tokens the client presents, the whole grant ends; any other text changes nothing. */
export async function revokeByToken(call: Call, client: Client, token: string): Promise<void> {
  const table = tableOf(token)
  if (!table) return
  const grant = await store.grantByToken(call.platform.meta, table, tokenHash(token))
  if (grant?.client_id === client.id) await revokeGrant(call, grant.id, 'by the client')
}

/** Once this has returned, none of the grant's tokens works anywhere. */
export async function revokeGrant(call: Call, id: string, reason: string): Promise<void> {
  const { meta, now } = call.platform
  const [, [revoked]] = await meta.batch(store.revokeGrant(meta, id, now()))
  if (revoked) await recordRevocation(call, revoked, reason)
}

export async function recordRevocation(
  { platform, client }: Call,
  grant: { readonly id: string; readonly user_id: string },
  reason: string,
): Promise<void> {
  await recordAudit(
    platform,
    { id: grant.user_id, address: client.address },
    { action: 'grant.revoked', subject: { type: 'grant', id: grant.id }, details: { reason } },
  )
}

function tableOf(token: string) {
  if (token.startsWith(PREFIX.access)) return 'access_token'
  return token.startsWith(PREFIX.refresh) ? 'refresh_token' : undefined
}

function wireGrant(grant: ApiGrantTable, now: number): Grant {
  return {
    id: grant.id,
    client_name: grant.client_name,
    kind: grant.kind,
    target_origin: grant.target_origin,
    scopes: [...storedScopes(grant.scopes)],
    status: statusOf(grant, now),
    created_at: grant.created_at,
    last_used_at: grant.last_used_at,
    revoked_at: grant.revoked_at,
    expires_at: grant.expires_at,
  }
}

function statusOf({ revoked_at, expires_at }: ApiGrantTable, now: number): Grant['status'] {
  if (revoked_at !== null) return 'revoked'
  return expires_at <= now ? 'expired' : 'active'
}
