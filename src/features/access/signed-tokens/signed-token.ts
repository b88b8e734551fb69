import { decodeJwt } from 'jose'
import type { ProtectedCall } from '../../../http/route.ts'
import { actorClaims, type Caller, type NeededApproval } from '../../../rules/caller.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { isAdministratorScope } from '../../../rules/scopes.ts'
import { staffScopesOf } from '../../../rules/staff.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { sign } from '../../ground/signing/signing.ts'
import { actingClaims, asProductsSee, isForProducts, subjectOf } from './for-products.ts'
import { productClaims } from './product-claims.ts'

const signedTokenSeconds = 300

/**
 * Issues a token for back ends that verify tokens themselves. A user who has not passed the gate gets none. The token
 * carries a time from before its caller was looked up, so that a back end asks if the user's access has changed since.
 */
export async function signedToken(call: ProtectedCall): Promise<{ readonly token: string }> {
  const settings = await currentSettings(call.platform, call.caller.settingsRevision)
  return { token: await tokenWith(call, settings) }
}

/** What the caller's own token would say with other claims in the settings. */
export async function previewToken(call: ProtectedCall, { claims }: Pick<Settings['hooks'], 'claims'>) {
  const settings = await currentSettings(call.platform, call.caller.settingsRevision)
  const token = await tokenWith(call, { ...settings, hooks: { ...settings.hooks, claims } })
  return { claims: { ...decodeJwt(token) } }
}

async function tokenWith(call: ProtectedCall, settings: Settings): Promise<string> {
  const { platform, asOf } = call
  const caller = await asProductsSee(platform, call.caller)
  // An exchanged token ends with another token, which a signed one would outlive.
  if (caller.credential.kind === 'grant' && caller.credential.act)
    throw new Refusal('FORBIDDEN', 'An exchanged token gets no signed one; exchange it for the resource.')
  if (!isForProducts(caller)) throw new Refusal('INSUFFICIENT_SCOPE', 'This token has no scope of the product.')
  const audience = platform.config.baseUrl
  const added = hasClaims(caller, settings) ? await productClaims(call, settings) : {}
  return sign(
    platform,
    { ...added, ...claimsOf(caller), ...(await actingClaims(platform, caller)) },
    {
      audience,
      lifetimeSeconds: signedTokenSeconds,
      asOf,
    },
  )
}

/** A service's token is about the service, of which the product knows nothing more. */
function hasClaims({ credential }: Caller, { hooks }: Settings): boolean {
  const isService = credential.kind === 'grant' && credential.grantKind === 'service'
  return !isService && (hooks.before_token.enabled || Object.keys(hooks.claims).length > 0)
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
    ...staffClaimOf(caller),
    scope: credential.kind === 'grant' ? credential.scopes.join(' ') : '',
    approval: approvalOf(caller),
    ends: Math.floor(credential.expiresAt / 1_000),
    ...actorClaims(caller.actor),
  }
}

/** The scopes of administration that this credential can use, if its user is on the staff. */
function staffClaimOf({ user, credential }: Caller) {
  const held = staffScopesOf(user)
  const scopes = credential.kind === 'session' ? held : held.filter((scope) => credential.scopes.includes(scope))
  return scopes.length > 0 && { staff_scopes: scopes }
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
