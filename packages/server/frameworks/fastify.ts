import type { Caller } from '../caller.ts'
import type { Verifier } from '../checks.ts'
import { Callers } from './callers.ts'
import { type GuardOptions, guard } from './guard.ts'

interface Request {
  readonly method: string
  readonly originalUrl: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

interface Reply {
  code(status: number): Reply
  headers(values: Record<string, string>): Reply
  send(body: string): Reply
}

const callers = new Callers()

/** A Fastify hook for `onRequest`: only lets callers through whom Gatehouse confirms. */
export function protect(verifier: Verifier, options: GuardOptions = {}) {
  return async (request: Request, reply: Reply): Promise<unknown> => {
    const { method, originalUrl: path, headers } = request
    const guarded = await guard(verifier, { method, path, headers }, options)
    if (!guarded.caller) {
      const { status, headers: answered, body } = guarded.refusal
      return reply.code(status).headers(answered).send(body)
    }
    callers.keep(request, guarded.caller)
    return undefined
  }
}

/** The caller of the request, in a handler behind `protect`. */
export function callerOf(request: object): Caller {
  return callers.of(request)
}
