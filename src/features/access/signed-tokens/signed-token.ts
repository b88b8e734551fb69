import type { ProtectedCall } from '../../../http/route.ts'
import type { Caller, NeededApproval } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { isAdministratorScope } from '../../../rules/scopes.ts'
import { sign } from '../../ground/signing/signing.ts'
import { asProductsSee, isForProducts, subjectOf } from './for-products.ts'

const signedTokenSeconds = 300

/**
 * Issues a token for back ends that verify tokens themselves. A user who has not passed the gate gets none. The token
 * carries a time from before its caller was looked up, so that a back end asks if the user's access has changed since.
 */
export async function signedToken(call: ProtectedCall): Promise<{ readonly token: string }> {
  const { platform, asOf } = call
  const caller = await asProductsSee(platform, call.caller)
  // An exchanged token ends with another token, which a signed one would outlive.
  if (caller.credential.kind === 'grant' && caller.credential.act)
    throw new Refusal('FORBIDDEN', 'An exchanged token gets no signed one; exchange it for the resource.')
  if (!isForProducts(caller)) throw new Refusal('INSUFFICIENT_SCOPE', 'This token has no scope of the product.')
  const audience = platform.config.baseUrl
  const token = await sign(platform, claimsOf(caller), {
    audience,
    lifetimeSeconds: signedTokenSeconds,
    asOf,
  })
  return { token }
}

function claimsOf(caller: Caller) {
  const { credential } = caller
  const subject = subjectOf(caller)
  return {
    sub: subject.id,
    sid: credential.id,
    kind: credential.kind,
    email: subject.email,
    email_verified: subject.emailVerified,
    name: subject.name,
    role: roleOf(caller),
    scope: credential.kind === 'grant' ? credential.scopes.join(' ') : '',
    approval: approvalOf(caller),
  }
}

/** The calls a grant's user has to approve first. A user's own session needs no approval. */
export function approvalOf({ credential }: Caller): NeededApproval {
  return credential.kind === 'grant' ? credential.approval : 'none'
}

/** What the credential can do here; for most grants that is less than its user can. */
export function roleOf({ user, credential }: Caller) {
  const isFull = credential.kind === 'session' || credential.scopes.some(isAdministratorScope)
  return isFull ? user.role : 'user'
}
