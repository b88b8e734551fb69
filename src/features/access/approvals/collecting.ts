import type { ApprovalTable } from '../../../database/schema/products/approvals.ts'
import type { SignedInCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { actorIdOf, type GrantCredential } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { scopeOfRoute } from '../../../rules/scopes.ts'
import { openedResult } from './contents.ts'
import type { Approval } from './input.ts'
import * as store from './store.ts'

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
