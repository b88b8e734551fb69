import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import { Answer, json } from '../../../http/answers/answer.ts'
import { mapInTurns } from '../../../http/answers/long-list.ts'
import { refuse } from '../../../http/answers/refuse.ts'
import { runGuarded } from '../../../http/mount.ts'
import type { GuardedRoute, SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Caller, narrowedTo } from '../../../rules/caller.ts'
import { type Page, sliceOf } from '../../../rules/paging.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { routeActionOf } from '../../../rules/scopes.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { findByTokenHash, findCallerById } from '../../people/callers/find-caller.ts'
import { noteChange } from '../../people/impersonations/listing.ts'
import { decideSignedIn } from '../../people/sessions/sessions.ts'
import { domainOf } from '../clients/client.ts'
import { noteAct } from '../grant-calls/admission.ts'
import { servicesNamed } from '../grant-calls/listing.ts'
import { ownGrants } from '../grants/statements.ts'
import { fingerprintOf, openedInput, sealedResult, sentKeyOf } from './contents.ts'
import { LIFETIME_MILLISECONDS } from './rules.ts'
import * as store from './store.ts'
import { subjectsOf } from './subjects.ts'

/** Finds a route by method and path. */
export type FindRoute = (method: string, path: string) => GuardedRoute | undefined

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
      noteChange,
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
