import type { ProtectedCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller } from '../../../rules/caller.ts'
import { areClaimsTooLarge } from '../../../rules/claims.ts'
import { isObject, type JsonObject } from '../../../rules/json-object.ts'
import { dataOf } from '../../../rules/product-data.ts'
import { askHook } from '../../ground/hooks/asking.ts'
import type { Settings } from '../../ground/settings/model.ts'
import type { ClaimSource } from '../../ground/settings/parts/hooks.ts'
import { organizationDataOf } from '../../people/memberships/statements.ts'
import { userDataOf } from '../../people/product-data/statements.ts'

/** The product's own claims about a user: those of the settings, and over them what its hook says. */
export async function productClaims(call: ProtectedCall, { hooks }: Settings): Promise<JsonObject> {
  const { caller } = call
  const isAsked = hooks.before_token.enabled && !caller.actor
  const asked = isAsked ? (await askHook(call, 'before_token', questionOf(caller))).claims : {}
  const mapped = await mappedClaims(call.platform, hooks.claims, caller)
  let claims: JsonObject = { ...asked }
  // What the hook says has its room already; of the others, what does not fit is left out.
  for (const [name, value] of mapped) {
    const more = { [name]: value, ...claims }
    if (!areClaimsTooLarge(more)) claims = more
  }
  return claims
}

function questionOf({ user: { id, email, name, email_verified }, credential, organization }: Caller) {
  const clientId = credential.kind === 'grant' ? credential.clientId : undefined
  const user = { id, email, name, email_verified: email_verified === 1 }
  return { user, method: 'signed', clientId, organizationId: organization?.id }
}

/** Without those whose source says nothing. */
async function mappedClaims({ meta }: Platform, sources: Settings['hooks']['claims'], { user, organization }: Caller) {
  const entries = Object.entries(sources)
  const reads = (of: string) => entries.some(([, source]) => typeof source === 'string' && source.startsWith(of))
  const [ofUser, ofOrganization] = await Promise.all([
    reads('user.') ? userDataOf(meta, user.id).executeTakeFirst() : undefined,
    organization && reads('organization.') ? organizationDataOf(meta, organization.id).executeTakeFirst() : undefined,
  ])
  const known = { user: { public: dataOf(ofUser).public }, organization: { public: dataOf(ofOrganization).public } }
  return entries.flatMap(([name, source]) => {
    const value = valueAt(known, source)
    return value === undefined ? [] : [[name, value] as const]
  })
}

function valueAt(known: JsonObject, source: ClaimSource): unknown {
  if (typeof source !== 'string') return source.value
  return source
    .split('.')
    .reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), known)
}
