import { untilNotOvertaken } from '../../../database/guard.ts'
import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import { Answer, json } from '../../../http/answers/answer.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import { refuse } from '../../../http/answers/refuse.ts'
import { runProtected } from '../../../http/mount.ts'
import { protect } from '../../../http/protect.ts'
import type { Call, ProtectedRoute, SignedInCall } from '../../../http/route.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { actorOf, auditEntry } from '../../ground/audit/audit.ts'
import { countAct } from '../../ground/limits/acts.ts'
import { findCaller, findCallerById } from '../../people/callers/find-caller.ts'
import { holdSession } from '../../people/sessions/sessions.ts'
import { lockUser } from '../../people/users/statements.ts'
import { domainOf } from '../clients/client.ts'
import { namesOfApplications } from '../clients/statements.ts'
import { actingServices, wireGrant } from '../grants/grants.ts'
import { ownGrant, ownGrants, updateGrantRow } from '../grants/statements.ts'
import { noteAct, writeActs } from './acts.ts'
import type { Approval, GrantChanges } from './input.ts'
import { beginCount } from './rules.ts'
import * as store from './store.ts'

/** By method and path. */
export type FindRoute = (method: string, path: string) => ProtectedRoute | undefined

export async function updateGrant(call: SignedInCall, { id, ...changes }: GrantChanges) {
  await countAct(call, 'account-changes')
  const { platform, caller } = call
  const { meta, now } = platform
  const sent = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const details = { ...sent }
  const changed = await meta.decide(
    [lockUser(meta, caller.user.id), holdSession(meta, caller), ownGrant(meta, id, caller.user.id)],
    async (decision, [user], [session], [grant]) => {
      if (!user || !session || !grant) return undefined
      if (Object.keys(sent).length > 0) {
        decision.write(
          updateGrantRow(meta, id, sent),
          auditEntry(platform, actorOf(call), {
            action: 'grant.update',
            subject: { type: 'grant', id },
            details,
          }),
        )
      }
      return { was: grant, grant: { ...grant, ...changesOf(grant, changes) } }
    },
  )
  if (!changed) throw new Refusal('NOT_FOUND', 'You have no such connection.')
  const { was, grant } = changed
  if (was.daily_limit === null && grant.daily_limit !== null) await beginCount(platform, id)
  const services = await actingServices(platform, [id])
  return wireGrant({ ...grant, ended_with_session: null }, now(), services.get(id))
}

function changesOf(
  now: { readonly daily_limit: number | null; readonly approval: 'none' | 'writes' | 'everything' },
  { daily_limit = now.daily_limit, approval = now.approval }: Omit<GrantChanges, 'id'>,
) {
  return { daily_limit, approval }
}

export async function listApprovals({ platform, caller }: SignedInCall, page: Page) {
  const { meta, now } = platform
  const { items, total } = await store.pendingPage(meta, caller.user.id, now(), sliceOf(page))
  const grants = await ownGrants(
    meta,
    caller.user.id,
    items.map(({ grant_id }) => grant_id),
  )
  const byId = new Map(grants.map((grant) => [grant.id, grant]))
  const shown = await mapInTurns(items, ({ id, grant_id, path, input, created_at, expires_at }) => {
    const { client_name = '', client_id = '' } = byId.get(grant_id) ?? {}
    const client = { client_name, client_domain: domainOf(client_id) }
    return { id, grant_id, ...client, route: path, input: JSON.parse(input), created_at, expires_at }
  })
  return { items: shown, total }
}

/** The first of several concurrent decisions wins. The request that approves a call also carries it out, exactly once. */
export async function decideApproval(
  call: SignedInCall,
  findRoute: FindRoute,
  { id, approve }: { readonly id: string; readonly approve: boolean },
) {
  const { platform, caller } = call
  const { meta, now } = platform
  const state = approve ? 'approved' : 'denied'
  const approval = await meta.decide(
    [
      lockUser(meta, caller.user.id),
      holdSession(meta, caller),
      store.lockedApproval(meta, id, caller.user.id),
    ],
    async (decision, [user], [session], [pending]) => {
      if (!user || !session || pending?.state !== 'pending' || pending.expires_at <= now()) return undefined
      const details = { route: pending.path, grant: pending.grant_id }
      decision.write(
        store.decideApproval(meta, id, state),
        auditEntry(platform, actorOf(call), {
          action: `approval.${state}`,
          subject: { type: 'grant', id: pending.grant_id },
          details,
        }),
      )
      return pending
    },
  )
  if (!approval) throw new Refusal('NOT_FOUND', 'This call has been decided already, or has expired.')
  if (!approve) return { status: 'denied' as const }
  const { status, body } = await carriedOut(call, findRoute, approval)
  const result = { status, body: typeof body === 'string' && body !== '' ? JSON.parse(body) : null }
  await store.keepResult(meta, id, JSON.stringify(result))
  noteAct(
    platform,
    { grant_id: approval.grant_id, path: approval.path, approval_id: id, actor_id: null, status },
    call.sender,
  )
  return { status: 'approved' as const, result }
}

/** As the grant, with what it may now: it can have lost the scope since it asked. */
async function carriedOut(
  call: SignedInCall,
  findRoute: FindRoute,
  approval: ApprovalTable,
): Promise<Answer> {
  const { platform, exchange } = call
  const route = findRoute(approval.method, approval.path)
  try {
    if (!route) throw new Refusal('NOT_FOUND', 'This path does not exist.')
    const asGrant = () => findCallerById(platform, 'grant', approval.grant_id)
    const output = await untilNotOvertaken(platform.meta, () =>
      runProtected(call, route, asGrant, () => JSON.parse(approval.input), {
        approvedKey: approval.key ?? undefined,
      }),
    )
    return output instanceof Answer ? output : json(output)
  } catch (error) {
    return refuse(platform, exchange, error)
  }
}

/** For the grant itself. */
export async function getApproval(call: Call, id: string): Promise<Approval> {
  const { caller, platform } = await protect(call, { scope: undefined }, findCaller)
  if (caller.credential.kind !== 'grant')
    throw new Refusal('FORBIDDEN', 'Only the program that asked can see this.')
  return approvalOf(platform, caller.credential.id, id)
}

export async function approvalOf(
  { meta, now }: Call['platform'],
  grantId: string,
  id: string,
): Promise<Approval> {
  const row = await store.approvalOf(meta, id, grantId)
  if (!row) throw new Refusal('NOT_FOUND', 'There is no such approval.')
  if (row.state === 'pending') return { status: row.expires_at > now() ? 'pending' : 'expired' }
  return { status: row.state, ...(row.result !== null && { result: JSON.parse(row.result) }) }
}

export async function listGrantActs(call: SignedInCall, id: string, page: Page) {
  const { platform, caller } = call
  const [grant] = await ownGrants(platform.meta, caller.user.id, [id])
  if (!grant) throw new Refusal('NOT_FOUND', 'You have no such connection.')
  await writeActs(platform)
  const { items, total } = await store.actsPage(platform.meta, id, sliceOf(page))
  const actors = [...new Set(items.flatMap(({ actor_id }) => actor_id ?? []))]
  const names = await namesOfApplications(platform.meta, actors)
  return {
    items: items.map(({ path, grant_id: _, actor_id, ...act }) => ({
      ...act,
      route: path,
      service: actor_id && (names.get(actor_id) ?? actor_id),
    })),
    total,
  }
}
