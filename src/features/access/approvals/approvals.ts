import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import { Answer, json } from '../../../http/answers/answer.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import { refuse } from '../../../http/answers/refuse.ts'
import { runGuarded } from '../../../http/mount.ts'
import type { GuardedRoute, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { actorIdOf, type Caller, type GrantCredential, narrowedTo } from '../../../rules/caller.ts'
import { given } from '../../../rules/given.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { routeActionOf, scopeOfRoute } from '../../../rules/scopes.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { findByTokenHash, findCallerById } from '../../people/callers/find-caller.ts'
import { decideSignedIn } from '../../people/sessions/sessions.ts'
import { domainOf } from '../clients/client.ts'
import { beginCount } from '../grant-calls/acts.ts'
import { noteAct } from '../grant-calls/admission.ts'
import { noSuchConnection, servicesNamed } from '../grant-calls/listing.ts'
import { actingServices, wireGrant } from '../grants/grants.ts'
import { heldGrantOf, ownGrants, updateGrantRow } from '../grants/statements.ts'
import { fingerprintOf, openedInput, openedResult, sealedResult, sentKeyOf } from './contents.ts'
import type { Approval, GrantChanges } from './input.ts'
import { LIFETIME_MILLISECONDS } from './rules.ts'
import * as store from './store.ts'
import { subjectsOf } from './subjects.ts'

/** Finds a route by method and path. */
export type FindRoute = (method: string, path: string) => GuardedRoute | undefined

export async function updateGrant(call: SignedInCall, { id, ...changes }: GrantChanges) {
  const { platform, caller } = call
  const { meta, now } = platform
  const sent = given(changes)
  const was = await decideSignedIn(call, [heldGrantOf(meta, id, caller.user.id)], async (act, _, [held]) => {
    if (!held) throw noSuchConnection()
    if (Object.keys(sent).length === 0) return held
    act.write(updateGrantRow(meta, id, sent))
    act.record('grant.update', { subject: { type: 'grant', id }, details: sent })
    return held
  })
  const grant = { ...was, ...sent }
  if (was.daily_limit === null && grant.daily_limit !== null) await beginCount(platform, id)
  const services = await actingServices(platform, [id])
  return wireGrant({ ...grant, ended_with_session: null }, now(), services.get(id))
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
  const serviceOf = await servicesNamed(meta, items)
  const inputs = await mapInTurns(items, (row) => openedInput(platform, row))
  const sent = items.map((row, i) => ({ ...row, input: JSON.parse(inputs[i] ?? 'null') }))
  const subjectOf = await subjectsOf(platform, caller.user, sent)
  const shown = sent.map(({ id, grant_id, actor_id, path, input, created_at, expires_at }) => {
    const { kind = 'application' as const, client_name = '', client_id = '' } = byId.get(grant_id) ?? {}
    const asker = { kind, client_name, client_domain: domainOf(client_id), service: serviceOf(actor_id) }
    const act = { route: path, action: routeActionOf(path) ?? null, subject: subjectOf(id), input }
    return { id, grant_id, ...asker, ...act, created_at, expires_at }
  })
  return { items: shown, total }
}

/** The first of several concurrent decisions wins. The request that approves a call also carries it out, once. */
export async function decideApproval(
  call: SignedInCall,
  findRoute: FindRoute,
  { id, approve }: { readonly id: string; readonly approve: boolean },
) {
  const { platform, caller } = call
  const { meta, now } = platform
  const state = approve ? 'approved' : 'denied'
  const waiting = store.lockedApproval(meta, id, caller.user.id)
  const approval = await decideSignedIn(call, [waiting], async (act, _, [pending]) => {
    const input = pending && openedInput(platform, pending)
    const isOpen = pending?.state === 'pending' && pending.expires_at > now()
    if (!isOpen || (approve && input === undefined))
      throw new Refusal('NOT_FOUND', 'This call has already been decided or has expired.')
    const { path: route, grant_id: grant } = pending
    const fingerprint = pending.fingerprint ?? fingerprintOf(platform, input ?? '')
    const expires_at = approve ? now() + LIFETIME_MILLISECONDS : pending.expires_at
    const decided = { state, fingerprint, expires_at } as const
    act.write(store.decideApproval(meta, id, decided))
    act.record(`approval.${state}`, { subject: { type: 'grant', id: grant }, details: { route, grant } })
    return { ...pending, input: input ?? '' }
  })
  if (!approve) return { status: 'denied' as const }
  const answer = await carriedOut(call, findRoute, approval)
  const { status } = answer
  const result = { status, body: contentOf(answer) }
  await store.keepResult(meta, id, {
    sealed_result: sealedResult(platform, id, result),
    expires_at: now() + LIFETIME_MILLISECONDS,
  })
  const { grant_id, path, actor_id } = approval
  const act = { grant_id, path, approval_id: id, actor_id, status, code: answer.code ?? null }
  noteAct(platform, act, call.sender)
  return { status: 'approved' as const, result }
}

function contentOf({ body, headers }: Answer): unknown {
  if (typeof body !== 'string' || body === '') return null
  return headers['content-type'] === 'application/json' ? JSON.parse(body) : body
}

async function carriedOut(call: SignedInCall, findRoute: FindRoute, approval: ApprovalTable): Promise<Answer> {
  const { platform, exchange } = call
  const route = findRoute(approval.method, approval.path)
  try {
    if (!route) throw new Refusal('NOT_FOUND', 'This path does not exist.')
    const steps = {
      findCaller: () => findAsker(platform, approval),
      countCall,
      approvedKey: sentKeyOf(approval),
    }
    const output = await runGuarded(call, route, steps, () => JSON.parse(approval.input))
    return output instanceof Answer ? output : json(output)
  } catch (error) {
    return refuse(platform, exchange, error)
  }
}

/**
 * The asker with its current permissions: the grant can have lost the scope since, and an exchanged token can have
 * ended.
 */
async function findAsker(
  platform: Platform,
  { grant_id, token_hash, scopes }: ApprovalTable,
): Promise<Caller | undefined> {
  if (token_hash !== null) return findByTokenHash(platform, token_hash, () => true)
  const caller = await findCallerById(platform, 'grant', grant_id)
  if (caller?.credential.kind !== 'grant' || scopes === null) return caller
  return { ...caller, credential: narrowedTo(caller.credential, scopes) }
}

/** The outcome, for the program that asked. */
export async function getApproval({ caller, platform }: SignedInCall, id: string): Promise<Approval> {
  if (caller.credential.kind !== 'grant') throw new Refusal('FORBIDDEN', 'Only the program that asked can see this.')
  return approvalOf(platform, caller.credential, id)
}

/** Gives the result once, to a token that could have made the call. A result too long for the caller stays stored. */
export async function approvalOf(
  platform: Platform,
  credential: GrantCredential,
  id: string,
  longestBytes = Number.POSITIVE_INFINITY,
): Promise<Approval> {
  const { meta, now } = platform
  const row = await store.approvalOf(meta, id, credential.id)
  if (row?.actor_id !== actorIdOf(credential)) throw new Refusal('NOT_FOUND', 'This approval does not exist.')
  if (!couldAsk(credential, row)) throw new Refusal('INSUFFICIENT_SCOPE', `This token lacks the scope of ${row.path}.`)
  const { state, expires_at, collected_at } = row
  if (state === 'pending') return { status: expires_at > now() ? 'pending' : 'expired' }
  const result = openedResult(platform, row)
  // The request that decided is carrying the call out; if it ended halfway, there will be no result.
  const isUnderWay = state === 'approved' && row.result === null && row.sealed_result === null && collected_at === null
  if (isUnderWay && expires_at > now()) return { status: 'pending' }
  if (!result) return { status: state, ...(collected_at !== null && { collected_at }) }
  const approval = { status: state, result }
  if (Buffer.byteLength(JSON.stringify(approval)) > longestBytes)
    throw new Refusal('PAYLOAD_TOO_LARGE', `The result has more than ${longestBytes} bytes.`)
  const isFirst = await store.collectResult(meta, id, now())
  return isFirst ? approval : approvalOf(platform, credential, id, longestBytes)
}

/** The result of a route without a scope can depend on every scope of the token that asked. */
function couldAsk({ scopes }: GrantCredential, { path, scopes: ofAsker }: ApprovalTable): boolean {
  const scope = scopeOfRoute(path)
  const needed: readonly string[] | undefined = scope ? [scope] : ofAsker?.split(' ')
  return needed?.every((one) => scopes.some((held) => held === one)) === true
}
