import type { Caller } from '../caller.ts'
import type { Verifier } from '../checks.ts'
import { Callers } from './callers.ts'
import { type GuardOptions, guard } from './guard.ts'

interface Context {
  readonly req: { readonly raw: Request }
}

const callers = new Callers()

/** Hono middleware: only lets callers through whom Gatehouse confirms. */
export function protect(verifier: Verifier, options: GuardOptions = {}) {
  return async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const { raw } = context.req
    const { pathname, search } = new URL(raw.url)
    const asked = { method: raw.method, path: pathname + search, headers: raw.headers }
    const guarded = await guard(verifier, asked, options)
    if (!guarded.caller) {
      const { status, headers, body } = guarded.refusal
      return new Response(body || null, { status, headers })
    }
    callers.keep(raw, guarded.caller)
    await next()
    return undefined
  }
}

/** The caller of the request, in a handler behind `protect`. */
export function callerOf(context: Context): Caller {
  return callers.of(context.req.raw)
}
