import { Asked } from '../../../../database/asking.ts'
import type { Call } from '../../../../http/route.ts'
import { type Act, decide } from '../../../ground/acts/acts.ts'
import { type AskedProduct, askBeforeToken } from '../../../ground/hooks/asking.ts'
import { currentSettings } from '../../../ground/settings/current-settings.ts'
import { membershipIn } from '../../../people/memberships/statements.ts'
import { type Client, grantKindOf } from '../../clients/client.ts'
import { heldClient, refuseOtherClient } from '../../clients/holding.ts'
import { storedScopes } from '../requests/requested-scopes.ts'
import { revokeGrants } from '../statements.ts'
import type { Contents } from './identity-token.ts'
import * as store from './redeeming-store.ts'
import { standing } from './standing.ts'
import { type GrantWithUser, insertAccessToken, insertRefreshToken } from './store.ts'
import type { FirstTokens } from './tokens.ts'

/** The approved request that a code belongs to, locked until the commit. */
export interface Approved {
  readonly state: 'approved'
  readonly request: store.LockedRequest
  readonly user: store.LockedUser
  /** Whether the application wants to be told when the session ends. */
  readonly hasLogout: boolean
  readonly counted: store.CountedGrants | undefined
  readonly asked: AskedProduct | undefined
  /** The administrator who acts as the user. */
  readonly actedBy: string | null
}

interface Undecided {
  readonly state: 'pending'
  readonly request: store.LockedRequest
}

interface Over {
  readonly state: 'unknown or used' | 'expired' | 'denied' | 'signed out'
}

/** A code is redeemed once, however many requests send it at the same time. */
export async function decideAboutCode<T>(
  call: Call,
  client: Client,
  sent: store.SentCode,
  work: (act: Act, found: Approved | Undecided | Over) => Promise<T>,
): Promise<T> {
  const asked = grantKindOf(client) === 'application' ? await productOf(call, client) : undefined
  const decided = () => decideWith(call, client, sent, asked, work)
  return asked ? asked.around(decided) : decided()
}

function decideWith<T>(
  call: Call,
  client: Client,
  sent: store.SentCode,
  asked: AskedProduct | undefined,
  work: (act: Act, found: Approved | Undecided | Over) => Promise<T>,
): Promise<T> {
  const { meta, now } = call.platform
  const kind = grantKindOf(client)
  return decide(
    call,
    [
      heldClient(meta, client),
      ...store.lockedRequest(meta, sent),
      isCounted(kind, sent) ? store.countGrants(meta, sent, kind, now()) : undefined,
    ],
    async (act, clients, [user], [session], [request], [counted]) => {
      const held = refuseOtherClient(client, clients)
      if (!request || request.state === 'redeemed') return work(act, { state: 'unknown or used' })
      if (request.expires_at <= now()) return work(act, { state: 'expired' })
      if (request.state === 'denied') return work(act, { state: 'denied' })
      if (user && !session && needsSession(request)) return work(act, { state: 'signed out' })
      // Without a locked user, the request was begun only while this was being decided.
      if (request.state === 'pending' || !user) return work(act, { state: 'pending', request })
      const hasLogout = held?.backchannel_logout_uri != null
      const actedBy = session?.acted_by ?? null
      return work(act, { state: 'approved', request, user, hasLogout, counted, asked, actedBy })
    },
  )
}

/** Undefined while the product is asked before no token. */
async function productOf(call: Call, { settingsRevision }: Client): Promise<AskedProduct | undefined> {
  const { hooks } = await currentSettings(call.platform, settingsRevision)
  return hooks.before_token.enabled ? new Asked((question) => askBeforeToken(call, question)) : undefined
}

/** An application's sign-ins are too frequent to count grants each time, so the random code decides when. */
function isCounted(kind: store.Crowding, { hash }: store.SentCode): boolean {
  return kind === 'tool' || /^[A-D]/.test(hash)
}

/** Approvals for a tool outlive the session. */
function needsSession({ state, kind, session_id }: store.LockedRequest): boolean {
  return state === 'pending' ? session_id !== null : kind === 'application'
}

/** Writes the grant with its first tokens. It replaces the user's least recently used ones, once they are too many. */
export async function giveGrant(
  call: Call,
  act: Act,
  { request, user, hasLogout, counted, asked, actedBy }: Approved,
  { rows }: FirstTokens,
  method: string,
): Promise<GrantWithUser & Pick<Contents, 'claims' | 'organization' | 'actedBy'>> {
  const { meta } = call.platform
  const { grantId, now } = rows
  const { id, kind, client_id, client_name, target_origin, resource, scopes, is_offline, auth_time, session_id } =
    request
  const { organization_id } = request
  const given = {
    ...{ client_id, client_name, target_origin, kind, resource, scopes, is_offline, auth_time, session_id },
    organization_id,
  }
  const organization = await standingOf(act, call, user.id, organization_id)
  const expires_at = is_offline ? rows.refreshExpiresAt : rows.accessExpiresAt
  const about = { ...user, email_verified: user.email_verified === 1 }
  const question = { user: about, method, clientId: client_id, organizationId: organization?.id }
  const yes = actedBy === null ? asked?.answerTo(question) : undefined
  if (counted) await makeRoom(call, act, user, kind, counted)
  act.write(
    store.redeemRequest(meta, { id, grantId }),
    store.insertGrant(meta, { id: grantId, user_id: user.id, ...given, created_at: now, expires_at }),
    insertAccessToken(meta, {
      ...{ token_hash: rows.accessHash, grant_id: grantId, scopes, resource },
      ...{ created_at: now, expires_at: rows.accessExpiresAt },
    }),
  )
  if (is_offline) {
    const token = { token_hash: rows.refreshHash, grant_id: grantId, created_at: now }
    act.write(insertRefreshToken(meta, { ...token, expires_at: rows.refreshExpiresAt }))
  }
  if (hasLogout && session_id !== null)
    act.write(store.noteSignIn(meta, { application_id: client_id, session_id, user_id: user.id, created_at: now }))
  act.record('grant.made', {
    ...{ by: { id: actedBy ?? user.id }, user, subject: { type: 'grant', id: grantId } },
    details: { scopes: storedScopes(scopes), client: client_name },
    data: { id: grantId, client_id, scopes },
  })
  const told = { nonce: request.nonce, claims: yes?.claims, organization, actedBy }
  return { ...user, ...given, grant_id: grantId, ...told }
}

/** The user is locked, so the membership stays as it is until the grant is made. */
async function standingOf(act: Act, { platform: { meta } }: Call, userId: string, organizationId: string | null) {
  if (organizationId === null) return undefined
  return standing(await act.first(membershipIn(meta, userId, organizationId)))
}

async function makeRoom(
  { platform: { meta, now } }: Call,
  act: Act,
  user: store.LockedUser,
  kind: store.Crowding,
  { all, lasting }: store.CountedGrants,
): Promise<void> {
  const owned = { userId: user.id, kind, now: now() }
  if (kind === 'tool' && all - lasting > store.MOST_ENDED) act.write(store.forgetEndedTools(meta, owned))
  if (lasting < store.MOST_LIVING[kind]) return
  const [crowded] = await act.read([store.crowdedGrants(meta, owned)])
  act.write(
    revokeGrants(
      meta,
      crowded.map(({ id }) => id),
      now(),
    ),
  )
  for (const { id, client_id } of crowded)
    act.record('grant.revoked', {
      ...{ by: user, user, letter: undefined },
      subject: { type: 'grant', id },
      details: { reason: 'too many connections' },
      data: { id, client_id },
    })
}
