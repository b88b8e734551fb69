import type { Caller } from '../caller.ts'
import type { Verifier } from '../checks.ts'
import { Callers } from './callers.ts'
import { type GuardOptions, guard } from './guard.ts'

interface Request {
  readonly method: string
  readonly originalUrl: string
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

interface Response {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown }
}

const callers = new Callers()

/** Express middleware: only lets callers through whom Gatehouse confirms. */
export function protect(verifier: Verifier, options: GuardOptions = {}) {
  return async (request: Request, response: Response, next: () => unknown): Promise<void> => {
    const { method, originalUrl: path, headers } = request
    const guarded = await guard(verifier, { method, path, headers }, options)
    if (guarded.caller) {
      callers.keep(request, guarded.caller)
      next()
    } else {
      const { status, headers: answered, body } = guarded.refusal
      response.writeHead(status, answered).end(body)
    }
  }
}

/** The caller of the request, in a handler behind `protect`. */
export function callerOf(request: object): Caller {
  return callers.of(request)
}
