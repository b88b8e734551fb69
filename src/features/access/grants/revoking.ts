import type { Call, SignedInCall } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { PREFIX, tokenHash } from '../../../rules/tokens.ts'
import { decide } from '../../ground/acts/acts.ts'
import { userIds } from '../../people/users/statements.ts'
import { refuseForColleague } from '../../people/users/users.ts'
import type { Client } from '../clients/client.ts'
import { heldClient, refuseOtherClient } from '../clients/holding.ts'
import { endWithExchanged, revokeGrants } from './statements.ts'
import * as store from './store.ts'

/** Another user's grant is refused exactly like one that does not exist. */
export async function revokeOwnGrant(call: SignedInCall, id: string): Promise<void> {
  const { platform, caller } = call
  const grant = await store.grantOfUser(platform.meta, id, caller.user.id)
  if (!grant) throw new Refusal('NOT_FOUND', 'You have no such connection.')
  await endGrant(call, grant, { reason: 'by the user' })
}

/** Records the administrator as the actor. */
export async function revokeUserGrant(call: SignedInCall, userId: string, id: string): Promise<void> {
  await refuseForColleague(call, userId)
  const grant = await store.grantOfUser(call.platform.meta, id, userId)
  if (!grant) throw new Refusal('NOT_FOUND', 'This user has no such connection.')
  await endGrant(call, grant, { reason: 'by the administrator', user: userId })
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

/** A service ends the exchange of a user's token, and not the user's connection. */
async function endExchanged(
  { platform: { meta } }: Call,
  client: Client,
  grantId: string,
  hash: string,
): Promise<void> {
  const read = [heldClient(meta, client), store.lockedGrant(meta, { id: grantId })] as const
  await meta.decide(read, async (decision, clients) => {
    refuseOtherClient(client, clients)
    decision.write(endWithExchanged(meta, (eb) => eb('access_token.token_hash', '=', hash)))
  })
}

/** Ends a grant because of one of its tokens. A client, if given, must still be as it was authenticated. */
export function revokeGrant(call: Call, grant: store.Ending, reason: string, client?: Client): Promise<void> {
  return endGrant(call, grant, { reason }, { by: { id: grant.user_id }, client })
}

interface Revoker {
  /** The actor, if not the caller. */
  readonly by?: { readonly id: string }
  readonly client?: Client | undefined
}

/** After this returns, none of the grant's tokens works anywhere. */
async function endGrant(
  call: Call | SignedInCall,
  grant: store.Ending,
  details: { readonly reason: string; readonly user?: string },
  { by, client }: Revoker = {},
): Promise<void> {
  const { meta, now } = call.platform
  const { id, client_name: name } = grant
  const read = [
    client && heldClient(meta, client),
    store.lockedGrant(meta, { id }),
    userIds(meta).select('user.email').where('user.id', '=', grant.user_id),
  ] as const
  await decide(call, read, async (act, clients, [active], [user]) => {
    if (client) refuseOtherClient(client, clients)
    // A user who was erased in the meantime has no grants any more.
    if (!active || !user) return
    // An application ends its grant whenever its user signs out: the consent stays, and no letter is needed.
    const isByClient = details.reason === BY_CLIENT
    act.write(revokeGrants(meta, [id], now()), ...(isByClient ? [] : [store.forgetConsentOf(meta, { id })]))
    act.record('grant.revoked', {
      ...(by && { by }),
      user,
      subject: { type: 'grant', id },
      details: { name, ...details },
      data: { id, client_id: active.client_id },
      name: chosenName(grant),
      letter: isByClient && grant.kind === 'application' ? undefined : letterAbout(grant),
    })
  })
}

function letterAbout({ kind }: store.Ending) {
  return kind === 'personal' ? 'token revoked' : 'tool disconnected'
}

/** A tool has the name that we gave it. */
function chosenName({ kind, client_name }: store.Ending): string | undefined {
  return kind === 'tool' ? undefined : client_name
}

function tableOf(token: string) {
  if (token.startsWith(PREFIX.access)) return 'access_token'
  return token.startsWith(PREFIX.refresh) ? 'refresh_token' : undefined
}
