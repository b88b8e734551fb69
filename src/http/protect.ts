import { currentReadPosition } from '../database/current-request.ts'
import type { Shard, StoreUnavailable } from '../database/store.ts'
import { missingShard } from '../database/stores.ts'
import type { Platform } from '../platform/platform.ts'
import { refuseGated } from '../rules/beta-gate.ts'
import type { Caller } from '../rules/caller.ts'
import type { KeyedRequest } from '../rules/idempotency.ts'
import { Refusal } from '../rules/refusal.ts'
import { type GrantedScope, isAdministratorScope } from '../rules/scopes.ts'
import { holds, isStaff } from '../rules/staff.ts'
import { refuseWhileActing } from './acting.ts'
import type { Exchange } from './exchange.ts'
import type { FindCaller } from './find-caller.ts'
import type { Call, GuardedRoute, ProtectedCall, SessionRoute, SignedInCall } from './route.ts'
import type { Sender } from './sender/sender.ts'

/** The protected chain, in the specification's order. */
export async function protect(
  call: Call,
  { scope, gate, grants }: Requirements,
  findCaller: FindCaller,
): Promise<ProtectedCall> {
  const asOf = call.platform.now()
  const caller = await authenticate(call.platform, call.exchange, findCaller)
  refuseRestricted(caller)
  if (scope && !carriesScope(caller, scope)) throw lacksScope(call, caller, scope)
  if (grants === 'refused') refuseGrant(call, caller)
  const isAdministration = scope !== undefined && isAdministratorScope(scope)
  // The gate is for what a user does here, not for the work of staff.
  if (gate !== 'open' && !(isAdministration && holds(caller.user, scope))) refuseGated(caller)
  const shard = findShard(call.platform, caller)
  // The console goes on without the shard in which the caller's own data is.
  if (isAdministration) {
    if (!holds(caller.user, scope)) throw refusalWithout(call, caller, scope)
  } else if (!shard) throw noShard(call.platform, caller)
  return new Allowed(call, caller, asOf, shard)
}

/** An accessor in a literal would give each request a hidden class, which keeps all of it until a full collection. */
class Allowed implements ProtectedCall {
  readonly platform: Platform
  readonly sender: Sender
  readonly exchange: Exchange
  readonly caller: Caller
  readonly asOf: number
  readonly keyed: KeyedRequest | undefined = undefined
  readonly #shard: Shard | undefined

  constructor({ platform, sender, exchange }: Call, caller: Caller, asOf: number, shard: Shard | undefined) {
    this.platform = platform
    this.sender = sender
    this.exchange = exchange
    this.caller = caller
    this.asOf = asOf
    this.#shard = shard
  }

  get shard(): Shard {
    if (!this.#shard) throw noShard(this.platform, this.caller)
    return this.#shard
  }
}

/** Without a scope, any caller with a session or a grant passes. */
interface Requirements {
  readonly scope?: GrantedScope | undefined
  readonly gate?: GuardedRoute['gate']
  readonly grants?: GuardedRoute['grants']
}

/** Guards routes that only a user's own session can call: a grant's token is refused. */
export async function requireSession(call: Call, route: SessionRoute, findCaller: FindCaller): Promise<SignedInCall> {
  const { secondFactor, role } = route
  const caller = await authenticate(call.platform, call.exchange, findCaller)
  refuseGrant(call, caller)
  if (caller.actor) refuseWhileActing(caller.actor, route)
  if (secondFactor === 'not needed') refuseUnverified(caller)
  else refuseRestricted(caller)
  if (role === 'administrator') refuseOthers(call, caller)
  return { ...call, caller }
}

function refuseGrant(call: Call, caller: Caller): void {
  if (caller.credential.kind === 'session') return
  throw forbidden(call, caller, 'Only your own browser session can do this.')
}

function refuseOthers(call: Call, caller: Caller): void {
  if (caller.user.role !== 'administrator') throw forbidden(call, caller, ONLY_THE_ADMINISTRATOR)
}

const ONLY_THE_ADMINISTRATOR = 'Only the administrator can do this.'

function refusalWithout(call: Call, caller: Caller, scope: GrantedScope): Refusal {
  const message = isStaff(caller.user) ? `You lack ${scope}. Ask the administrator for it.` : ONLY_THE_ADMINISTRATOR
  return forbidden(call, caller, message)
}

/** Refuses everything but what leads to a verified address, and then to a second factor. */
export function refuseRestricted(caller: Caller): void {
  refuseUnverified(caller)
  if (!caller.lacksFactor) return
  throw new Refusal('SECOND_FACTOR_REQUIRED', 'Add a second factor to your account first.')
}

function refuseUnverified({ lacksVerification }: Caller): void {
  if (!lacksVerification) return
  throw new Refusal('EMAIL_NOT_VERIFIED', 'Verify your email address first.')
}

async function authenticate(platform: Platform, exchange: Exchange, findCaller: FindCaller): Promise<Caller> {
  const caller = await findCaller(platform, exchange)
  if (caller) return caller
  const isBearer = /^bearer(?: |$)/i.test(exchange.header('authorization') ?? '')
  challenge(exchange, isBearer ? ', error="invalid_token"' : '')
  throw new Refusal('UNAUTHORIZED', 'Sign in first.')
}

/** True if the caller can use the scope now: for administration, the user must hold it too. */
export function hasScope(caller: Caller, scope: GrantedScope): boolean {
  return carriesScope(caller, scope) && holds(caller.user, scope)
}

function carriesScope({ credential }: Caller, scope: GrantedScope): boolean {
  return credential.kind === 'session' || credential.scopes.includes(scope)
}

/** A token that has the scope while its user lacks it gets the user's refusal: another token would not help. */
function lacksScope(call: Call, caller: Caller, scope: GrantedScope): Refusal {
  const { exchange } = call
  if (caller.credential.kind === 'grant' && caller.credential.withheld.includes(scope))
    return refusalWithout(call, caller, scope)
  challenge(exchange, `, error="insufficient_scope", scope="${scope}"`)
  return new Refusal('INSUFFICIENT_SCOPE', `This token lacks the scope ${scope}.`)
}

/** A grant is refused here whatever its scopes are. */
function forbidden({ exchange }: Call, { credential }: Caller, message: string): Refusal {
  if (credential.kind === 'grant') challenge(exchange, ', error="insufficient_scope"')
  return new Refusal('FORBIDDEN', message)
}

/** RFC 6750 section 3. */
function challenge(exchange: Exchange, parameters: string): void {
  exchange.setHeader('www-authenticate', `Bearer realm="gatehouse"${parameters}`)
}

function findShard({ shards }: Platform, { shardId }: Caller): Shard | undefined {
  const shard = shardId === undefined ? undefined : shards.get(shardId)
  if (shard) currentReadPosition()?.ownShard(shard.name)
  return shard
}

function noShard({ config }: Platform, { shardId }: Caller): StoreUnavailable {
  return missingShard(config, shardId ?? 'shard')
}
