import type { Caller } from '../caller.ts'
import type { Needed, Verifier } from '../checks.ts'
import type { HeadersLike } from '../credential.ts'
import { type GuardOptions, guard } from './guard.ts'

/** A route handler of the app router that only runs for callers whom Gatehouse confirms. */
export function protect<Rest extends readonly unknown[]>(
  verifier: Verifier,
  handler: (request: Request, caller: Caller, ...rest: Rest) => Response | Promise<Response>,
  options: GuardOptions = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const { pathname, search } = new URL(request.url)
    const asked = { method: request.method, path: pathname + search, headers: request.headers }
    const guarded = await guard(verifier, asked, options)
    if (guarded.caller) return handler(request, guarded.caller, ...rest)
    const { status, headers, body } = guarded.refusal
    return new Response(body || null, { status, headers })
  }
}

/** For server components and actions: `await findCaller(verifier, await headers())`. */
export function findCaller(verifier: Verifier, headers: HeadersLike, needed?: Needed): Promise<Caller | undefined> {
  return verifier.verify({ headers }, needed)
}
