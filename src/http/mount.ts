import { untilNotOvertaken } from '../database/overtaken.ts'
import type { Platform } from '../platform/platform.ts'
import { Refusal } from '../rules/refusal.ts'
import { isAdministratorScope } from '../rules/scopes.ts'
import { isOfActing } from '../rules/tokens.ts'
import { refuseWhileActing, whileActing } from './acting.ts'
import { Answer, json } from './answers/answer.ts'
import type { Answering } from './answers/answering.ts'
import type { ReadReturnOrigins } from './answers/cors.ts'
import { jsonInParts } from './answers/in-parts.ts'
import { partsOfLongList } from './answers/long-list.ts'
import { SESSION_COOKIE } from './answers/own-cookie.ts'
import { refuseMissing } from './answers/refuse.ts'
import type { Exchange } from './exchange.ts'
import { requireAdministrator, requireFresh } from './freshness.ts'
import type { FindMissingPage } from './pages/pages.ts'
import { protect, requireSession } from './protect.ts'
import { maximumBodyBytes, maximumPublicBodyBytes, Nothing, parseInput, readJson, withBody } from './requests/body.ts'
import { readForm, refusesAsOAuth, takesForm, takesQuery } from './requests/form.ts'
import { keyedRequestOf, keyOf } from './requests/idempotency.ts'
import { originCheck } from './requests/origin.ts'
import {
  type Call,
  type GuardedRoute,
  isGuarded,
  type PublicRoute,
  type Route,
  type SessionRoute,
  type SignedInCall,
} from './route.ts'
import type { Router } from './router.ts'
import type { GrantRules, Steps } from './steps.ts'

/** Registers the declared routes; any other method on their paths is 405, any other path 404. */
export function mount(
  router: Router,
  routes: readonly Route[],
  platform: Platform,
  answering: Answering,
  steps: Steps,
  findMissingPage: FindMissingPage,
  readReturnOrigins: ReadReturnOrigins,
): void {
  const checkOrigin = originCheck(platform.config, readReturnOrigins)
  for (const route of routes) {
    const changesForCookies = !takesQuery(route) && !takesForm(route)
    const respond = async (exchange: Exchange) => {
      const call = { platform, exchange, sender: exchange.sender }
      exchange.refusesAsOAuth = refusesAsOAuth(route)
      exchange.acceptsGrants = route.access !== 'public' || route.grants === 'accepted'
      await beforehand(call, route, steps)
      if (changesForCookies) await checkOrigin(exchange)
      const output = await handled(call, route, steps)
      checkSession(exchange, route)
      if (output instanceof Answer) return output
      const parts = partsOfLongList(output)
      return parts ? jsonInParts(call, parts) : json(output)
    }
    router.on(route.method, route.path, answering(route.path, respond))
  }
  const byPath = Map.groupBy(routes, ({ path }) => path)
  const refuseOthers = async (exchange: Exchange): Promise<Answer> => {
    const others = byPath.get(exchange.path)
    const page = others ? undefined : await findMissingPage(exchange)
    if (page) return page
    if (!others) return refuseMissing()
    const allowed = others.map(({ method }) => method)
    exchange.refusesAsOAuth = others.some(refusesAsOAuth)
    exchange.setHeader('allow', allowed.join(', '))
    throw new Refusal('METHOD_NOT_ALLOWED', `Use ${allowed.join(' or ')} here.`)
  }
  router.otherwise(answering('other', refuseOthers))
}

/** A mistake of our own: the request fails, and its caller gets no session. */
function checkSession({ opensSession }: Exchange, { session, path }: Route): void {
  if (!opensSession || session === 'can be opened') return
  throw new Error(`${path} opens a session without saying so in its declaration`)
}

async function handled(call: Call, route: Route, steps: Steps): Promise<unknown> {
  switch (route.access) {
    case 'public':
      return await route.handle(call, await inputOf(call, route))
    case 'session':
      return await handledForSession(call, route, steps)
    case 'protected':
    case 'caller':
      return await runGuarded(call, route, steps, () => rawInput(call.exchange, route))
  }
}

async function beforehand(call: Call, route: Route, steps: Steps): Promise<void> {
  if (route.access === 'public') await refuseWayIn(call, route, steps)
  if ('before' in route) await route.before?.(call)
}

/** Ways in are closed to a browser in which somebody acts as a user, whatever token it sends beside its cookie. */
async function refuseWayIn({ platform, exchange }: Call, route: PublicRoute, { findByActing }: Steps): Promise<void> {
  if (whileActing(route) !== 'never') return
  const token = SESSION_COOKIE.of(exchange, platform.config)
  if (token === undefined || !isOfActing(token)) return
  const caller = await findByActing(platform, token)
  if (caller?.actor) refuseWhileActing(caller.actor, route)
}

/** An approved call does not wait again, and has the key that the grant's program sent with it. */
type GuardedSteps = Pick<Steps, 'findCaller' | 'countCall' | 'noteChange'> &
  (GrantRules | { readonly approvedKey: string | undefined })

/** Checks the caller, then the input, counts the call, then runs the handler. */
export async function runGuarded(
  call: Call,
  route: GuardedRoute,
  steps: GuardedSteps,
  readInput: () => unknown,
): Promise<unknown> {
  const permit = async () => {
    const permitted = await protect(call, route, steps.findCaller)
    if (permitted.caller.actor) refuseWhileActing(permitted.caller.actor, route)
    return permitted
  }
  const [allowed, raw] = await withBody(call.exchange, permit, readInput)
  const { actor } = allowed.caller
  const parse = () => parseInput(route.input, raw)
  const check = async () => {
    const input = await parse()
    if (await route.needsFreshSession?.(allowed, input)) {
      if (route.scope && isAdministratorScope(route.scope)) requireAdministrator(allowed)
      else requireFresh(allowed)
    }
    return input
  }
  const work = async () => {
    const input = await (route.needsFreshSession ? check() : parse())
    const key = 'approvedKey' in steps ? steps.approvedKey : keyOf(call.exchange, route)
    const keyed = keyedRequestOf(key, route, input, allowed.caller)
    if (route.limit) await steps.countCall(allowed, route.limit)
    const handle = () => route.handle(Object.assign(allowed, { keyed }), input)
    const isNoted = actor && whileActing(route) === 'writes'
    const output = await (isNoted ? noted(allowed, route, steps, handle) : handle())
    if (route.waits) await protect(call, route, steps.findCaller)
    return output
  }
  const { credential } = allowed.caller
  if ('approvedKey' in steps || credential.kind === 'session') return work()
  return (await steps.holdUp(allowed, credential, route, raw, check)) ?? work()
}

/** The note comes first: a process that ends halfway leaves no change without one. */
async function noted<T>(call: SignedInCall, { path }: Route, { noteChange }: GuardedSteps, handle: () => Promise<T>) {
  const takeBack = await noteChange(call, path)
  return handle().catch(async (error: unknown) => {
    if (error instanceof Refusal) await takeBack()
    throw error
  })
}

/** Starts over with the caller's current facts if those that were checked have changed. */
async function handledForSession(call: Call, route: SessionRoute, { findCaller, countCall }: Steps): Promise<unknown> {
  const countedInput = async (signedIn: SignedInCall) => {
    const input = await inputOf(call, route)
    if (route.limit) await countCall(signedIn, route.limit)
    return input
  }
  let input: Promise<unknown> | undefined
  return untilNotOvertaken(call.platform.meta, async () => {
    const require = () => requireSession(call, route, findCaller)
    const [signedIn, sent] = await withBody(call.exchange, require, (first) => {
      input ??= countedInput(first)
      return input
    })
    if (route.needsFreshSession) requireFresh(signedIn)
    return route.handle(signedIn, sent)
  })
}

async function inputOf({ exchange }: Call, route: Route): Promise<unknown> {
  if (route.method === 'GET' && route.input === Nothing) return {}
  return parseInput(route.input, await rawInput(exchange, route))
}

function rawInput(exchange: Exchange, route: Route): unknown {
  if (takesQuery(route)) return exchange.query()
  if (takesForm(route)) return readForm(exchange)
  if (route.access === 'public') return readJson(exchange, maximumPublicBodyBytes)
  return readJson(exchange, (isGuarded(route) && route.largestBodyBytes) || maximumBodyBytes)
}
