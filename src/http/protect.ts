import type { Context } from 'hono'
import { currentPlace } from '../platform/place.ts'
import type { Platform } from '../platform/platform.ts'
import { type Shard, StoreUnavailable } from '../platform/store.ts'
import type { Caller, FindCaller } from './caller.ts'
import { Refusal } from './refusal.ts'
import type { Call, ProtectedCall, ProtectedRoute, SignedInCall } from './route.ts'
import { isAdministratorScope, type Scope } from './scopes.ts'

/** The protected chain, in the specification's order. */
export async function protect(
  call: Call,
  { scope, gate }: Needed,
  findCaller: FindCaller,
): Promise<ProtectedCall> {
  const caller = await authenticate(call.platform, call.context, findCaller)
  if (scope && !hasScope(caller, scope)) throw lacksScope(call.context, scope)
  if (caller.isGated && gate !== 'open') {
    throw new Refusal('BETA_CODE_REQUIRED', 'Enter a beta code first.')
  }
  const shard = shardOf(call.platform, caller)
  if (scope && isAdministratorScope(scope) && caller.user.role !== 'administrator') {
    throw forbidden(call, caller, 'Only the administrator may do this.')
  }
  return { ...call, caller, shard }
}

/** Without a scope any caller passes who has a session or a grant. */
interface Needed {
  readonly scope: Scope | undefined
  readonly gate?: ProtectedRoute['gate']
}

/** For routes of a signed-in person: no token of a grant gets in. */
export async function requireSession(call: Call, findCaller: FindCaller): Promise<SignedInCall> {
  const caller = await authenticate(call.platform, call.context, findCaller)
  if (caller.credential.kind !== 'session') {
    throw forbidden(call, caller, 'Only your own browser session may do this.')
  }
  return { ...call, caller }
}

async function authenticate(platform: Platform, context: Context, findCaller: FindCaller): Promise<Caller> {
  const caller = await findCaller(platform, context)
  if (caller) return caller
  challenge(context, context.req.header('authorization') === undefined ? '' : ', error="invalid_token"')
  throw new Refusal('UNAUTHORIZED', 'Sign in first.')
}

function hasScope({ credential }: Caller, scope: Scope): boolean {
  return credential.kind === 'session' || credential.scopes.includes(scope)
}

function lacksScope(context: Context, scope: Scope): Refusal {
  challenge(context, `, error="insufficient_scope", scope="${scope}"`)
  return new Refusal('INSUFFICIENT_SCOPE', `This token lacks the scope ${scope}.`)
}

/** No scope would help a grant here. */
function forbidden({ context }: Call, { credential }: Caller, message: string): Refusal {
  if (credential.kind === 'grant') challenge(context, ', error="insufficient_scope"')
  return new Refusal('FORBIDDEN', message)
}

/** RFC 6750 section 3. */
function challenge(context: Context, parameters: string): void {
  context.header('www-authenticate', `Bearer realm="gatehouse"${parameters}`)
}

function shardOf(platform: Platform, { shardId }: Caller): Shard {
  const shard = shardId === undefined ? undefined : platform.shards.get(shardId)
  if (!shard) throw new StoreUnavailable(shardId ?? 'shard')
  currentPlace()?.ownShard(shard.name)
  return shard
}
