import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import { json } from '../../../http/answers/answer.ts'
import { keyOf } from '../../../http/requests/idempotency.ts'
import type { GuardedRoute, ProtectedCall } from '../../../http/route.ts'
import type { GrantRules } from '../../../http/steps.ts'
import type { Platform } from '../../../platform/platform.ts'
import { actorIdOf, type GrantCredential } from '../../../rules/caller.ts'
import { newId } from '../../../rules/ids.ts'
import { Refusal, signedOutMeanwhile } from '../../../rules/refusal.ts'
import { routeActionOf, scopeOfRoute } from '../../../rules/scopes.ts'
import { MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { type ApprovalFacts, approvalWords } from '../../../rules/words/approvals.ts'
import { decide } from '../../ground/acts/acts.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { notify } from '../../operations/notifications/publishing.ts'
import { lockedUser } from '../../people/users/statements.ts'
import { domainOf } from '../clients/client.ts'
import { namesOfApplications } from '../clients/statements.ts'
import { fingerprintOf, keptKey, openedInput, sealedInput } from './contents.ts'
import * as store from './store.ts'

/** The time to decide, and after an approval the time to collect the result. */
export const LIFETIME_MILLISECONDS = 10 * MINUTE_MILLISECONDS
/** More than anyone can review. */
export const MOST_PENDING = 50
/** One program must leave room for the user's others. */
const MOST_PENDING_OF_GRANT = 10
/** A longer input could not be shown as a whole. */
const LONGEST_INPUT = 16 * 1024
/** An open page tells its user long before, and then no letter goes. */
export const LETTER_AFTER_MILLISECONDS = 10_000
/** The type of its notification, by which the user can end its letters. */
export const APPROVAL_TYPE = 'approval'

export const grantRules: GrantRules = {
  async holdUp(call, credential, route, raw, check) {
    if (!needsApproval(credential, route)) return undefined
    refuseStream(route)
    await check()
    const { id, expires_at } = await wait(call, credential, route, raw)
    call.exchange.grantCall?.waitsFor(id)
    return json({ code: 'APPROVAL_REQUIRED', approval_id: id, expires_at }, 202)
  },
}

function needsApproval({ approval }: GrantCredential, route: GuardedRoute): boolean {
  if (route.access === 'caller') return approval === 'everything' && route.approval === 'like a read'
  return approval === 'everything' || (approval === 'writes' && !route.scope.endsWith(':read'))
}

/** A stream has no result that could be kept for the program. */
function refuseStream({ mediaType }: GuardedRoute): void {
  if (mediaType !== 'text/event-stream') return
  throw new Refusal('FORBIDDEN', 'A stream cannot wait for approval. Request the list instead.')
}

/** The same call under the same key waits once. */
async function wait(call: ProtectedCall, credential: GrantCredential, route: GuardedRoute, raw: unknown) {
  const { platform, caller } = call
  const { meta, now } = platform
  const { id: userId } = caller.user
  const row = waitingRow(call, credential, route, raw)
  const { brand } = await currentSettings(platform, caller.settingsRevision)
  const facts = await factsOf(platform, credential, row)
  const told = {
    id: row.id,
    type: APPROVAL_TYPE,
    kind: 'approval',
    data: JSON.stringify(facts),
    ...approvalWords(brand.languages[0] ?? 'en', facts),
    link: addressOf(platform, row.id),
  } as const
  return decide(
    call,
    [
      lockedUser(meta, userId),
      row.key === null ? undefined : store.approvalByKey(meta, credential.id, row.key),
      store.countPending(meta, userId, credential.id, now()),
    ],
    async (act, [user], [known], [pending = { of_user: 0, of_grant: 0 }]) => {
      if (!user) throw signedOutMeanwhile()
      if (known) return sameCall(platform, known, row)
      if (pending.of_grant >= MOST_PENDING_OF_GRANT)
        throw tooMany('Too many calls of this connection are waiting for approval.')
      if (pending.of_user >= MOST_PENDING) throw tooMany('Too many calls wait for approval.')
      act.write(store.insertApproval(meta, row))
      notify(act, platform, userId, told)
      return row
    },
  )
}

/** An exchanged token is not renewed, so its calls wait no longer than it lasts. */
function waitingRow(
  call: ProtectedCall,
  credential: GrantCredential,
  route: GuardedRoute,
  raw: unknown,
): ApprovalTable {
  const { platform, caller, exchange } = call
  const { scopes, act, tokenHash, tokenExpiresAt } = credential
  const id = newId()
  const created_at = platform.now()
  const end = created_at + LIFETIME_MILLISECONDS
  const input = JSON.stringify(raw ?? {})
  if (input.length > LONGEST_INPUT) {
    throw new Refusal('PAYLOAD_TOO_LARGE', 'A call that waits for approval has at most 16 KiB.')
  }
  return {
    id,
    grant_id: credential.id,
    user_id: caller.user.id,
    method: route.method,
    path: route.path,
    input: sealedInput(platform, id, input),
    fingerprint: fingerprintOf(platform, input),
    state: 'pending',
    scopes: scopes.join(' '),
    token_hash: (act && tokenHash) ?? null,
    actor_id: actorIdOf(credential),
    created_at,
    expires_at: act ? Math.min(end, tokenExpiresAt) : end,
    key: keptKey(credential, keyOf(exchange, route)),
    result: null,
    sealed_result: null,
    collected_at: null,
    letter_at: platform.now() + LETTER_AFTER_MILLISECONDS,
  }
}

function tooMany(words: string): Refusal {
  return new Refusal('TOO_MANY_APPROVALS', words, { retryAfterSeconds: 60 })
}

/** A row of 0.3.0 has no fingerprint, so its input is compared until it is gone. */
function sameCall<Known extends Pick<ApprovalTable, 'id' | 'path' | 'input' | 'fingerprint'>>(
  platform: Platform,
  known: Known,
  { path, fingerprint }: ApprovalTable,
): Known {
  const input = known.fingerprint === null ? openedInput(platform, known) : undefined
  const knownBy = input === undefined ? known.fingerprint : fingerprintOf(platform, input)
  if (known.path === path && (knownBy ?? fingerprint) === fingerprint) return known
  throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was already used with a different body.')
}

async function factsOf(
  { meta }: Platform,
  credential: GrantCredential,
  { id, path, expires_at }: ApprovalTable,
): Promise<ApprovalFacts> {
  const service = actorIdOf(credential)
  const names = service === null ? undefined : await namesOfApplications(meta, [service])
  return {
    approval_id: id,
    client_name: credential.clientName,
    client_domain: domainOf(credential.clientId),
    service: service === null ? null : (names?.get(service) ?? service),
    route: path,
    action: routeActionOf(path) ?? null,
    scope: scopeOfRoute(path) ?? null,
    expires_at,
  }
}

/** The page that shows the call and asks about it. */
export function addressOf({ config }: Pick<Platform, 'config'>, id: string): string {
  return `${config.baseUrl}/settings/access?approval=${id}`
}
