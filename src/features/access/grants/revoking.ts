import type { Call, SignedInCall } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { PREFIX, tokenHash } from '../../../rules/tokens.ts'
import { noticeToOwner } from '../../delivery/mail/notices.ts'
import { type Act, type Actor, actorOf, auditEntry } from '../../ground/audit/audit.ts'
import { findUser } from '../../people/users/statements.ts'
import type { Client } from '../clients/client.ts'
import { heldClient, refuseOtherClient } from '../clients/holding.ts'
import { endWithExchanged, revokeGrantRows } from './statements.ts'
import * as store from './store.ts'

/** Another user's grant gets the same refusal as one that does not exist. */
export async function revokeOwnGrant(call: SignedInCall, id: string): Promise<void> {
  const { platform, caller } = call
  const grant = await store.grantOfUser(platform.meta, id, caller.user.id)
  if (!grant) throw new Refusal('NOT_FOUND', 'You have no such connection.')
  await endGrant(call, grant, actorOf(call), { reason: 'by the user' })
}

/** By the administrator, who is recorded as the actor. */
export async function revokeUserGrant(call: SignedInCall, userId: string, id: string): Promise<void> {
  const grant = await store.grantOfUser(call.platform.meta, id, userId)
  if (!grant) throw new Refusal('NOT_FOUND', 'This user has no such connection.')
  await endGrant(call, grant, actorOf(call), { reason: 'by the administrator', user: userId })
}

const BY_CLIENT = 'by the client'

/** RFC 7009: whichever of its tokens the client presents, the whole grant ends; any other text changes nothing. */
export async function revokeByToken(call: Call, client: Client, token: string): Promise<void> {
  const table = tableOf(token)
  if (!table) return
  const hash = tokenHash(token)
  const grant = await store.grantByToken(call.platform.meta, table, hash)
  if (grant?.actor_id) {
    if (grant.actor_id === client.id) await endExchanged(call, client, grant.id, hash)
  } else if (grant?.client_id === client.id) {
    await revokeGrant(call, grant, BY_CLIENT, client)
  }
}

/** A service ends what it got for a user's token, and not the user's connection. */
async function endExchanged(
  { platform: { meta } }: Call,
  client: Client,
  grantId: string,
  hash: string,
): Promise<void> {
  const read = [heldClient(meta, client), store.heldGrant(meta, grantId)] as const
  await meta.decide(read, async (decision, clients) => {
    refuseOtherClient(client, clients)
    decision.write(endWithExchanged(meta, (eb) => eb('access_token.token_hash', '=', hash)))
  })
}

/** For a reason that has to do with its tokens; with a client, only if it is still as it was authenticated. */
export function revokeGrant(call: Call, grant: store.Ending, reason: string, client?: Client): Promise<void> {
  const owner = { id: grant.user_id, address: call.sender.address }
  return endGrant(call, grant, owner, { reason }, client)
}

/** Once this has returned, none of the grant's tokens works anywhere. */
async function endGrant(
  call: Call,
  grant: store.Ending,
  actor: Actor,
  details: { readonly reason: string; readonly user?: string },
  client?: Client,
): Promise<void> {
  const { platform } = call
  const { meta, now } = platform
  const { id } = grant
  const act: Act = {
    action: 'grant.revoked',
    subject: { type: 'grant', id },
    details: { name: grant.client_name, ...details },
  }
  const letter = await letterAbout(call, grant, details.reason)
  const read = [client && heldClient(meta, client), store.heldGrant(meta, id)] as const
  await meta.decide(read, async (decision, clients, [active]) => {
    if (client) refuseOtherClient(client, clients)
    if (!active) return
    decision.write(
      auditEntry(platform, actor, act),
      ...revokeGrantRows(meta, id, now()),
      // An application does that whenever its user signs out, and the user has not withdrawn the consent.
      ...(details.reason === BY_CLIENT ? [] : [store.forgetConsentOf(meta, id)]),
      ...letter,
    )
  })
}

/** No letter if an application ends its own grant: it does so each time it signs its user out. */
async function letterAbout(call: Call, grant: store.Ending, reason: string) {
  if (grant.kind === 'application' && reason === BY_CLIENT) return []
  const owner = await findUser(call.platform.meta, grant.user_id)
  // A user who was erased in the meantime has no grants any more.
  if (!owner) return []
  const change = grant.kind === 'personal' ? 'token revoked' : 'tool disconnected'
  return noticeToOwner(call, owner, change, chosenName(grant))
}

/** A tool's name is ours. */
function chosenName({ kind, client_name }: store.Ending): string | undefined {
  return kind === 'tool' ? undefined : client_name
}

function tableOf(token: string) {
  if (token.startsWith(PREFIX.access)) return 'access_token'
  return token.startsWith(PREFIX.refresh) ? 'refresh_token' : undefined
}
