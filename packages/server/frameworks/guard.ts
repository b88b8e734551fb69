import type { Caller } from '../caller.ts'
import type { Verifier } from '../checks.ts'
import type { RequestLike } from '../credential.ts'

export interface GuardOptions {
  /** A grant must have it; a session passes. */
  readonly scope?: string
  /**
   * The product's own public origin, `https://app.example.com`. With it, a browser that requests a page
   * is redirected to sign in and back. Everything else gets 401.
   */
  readonly origin?: string
}

export interface Refusal {
  readonly status: 302 | 401 | 403 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type Guarded = { readonly caller: Caller } | { readonly caller: undefined; readonly refusal: Refusal }

/** A request as frameworks have it; `path` is the path with the query, as the browser sent it. */
export interface FrameworkRequest extends RequestLike {
  readonly method: string
  readonly path: string
}

export async function guard(
  verifier: Verifier,
  asked: FrameworkRequest,
  { scope, origin }: GuardOptions,
): Promise<Guarded> {
  const checked = await verifier.check(asked, { scope })
  if (checked.caller) return checked
  const isPage = checked.refused === 'unauthorized' && origin !== undefined && asksForPage(asked)
  const refusal = isPage ? signIn(verifier.signInUrl(pageOf(origin, asked.path))) : REFUSALS[checked.refused](scope)
  return { caller: undefined, refusal }
}

/** Returns a path of the product only, whatever the request line said. */
function pageOf(origin: string, path: string): string {
  const page = URL.canParse(path, origin) ? new URL(path, origin) : undefined
  return page && page.origin === new URL(origin).origin ? page.href : origin
}

function asksForPage({ method, headers }: FrameworkRequest): boolean {
  const accept = typeof headers.get === 'function' ? headers.get('accept') : headers['accept' as never]
  return method === 'GET' && /\btext\/html\b/.test(String(accept ?? ''))
}

function signIn(location: string): Refusal {
  return { status: 302, headers: { location, 'cache-control': 'no-store' }, body: '' }
}

const REFUSALS = {
  unauthorized: () => refusal(401, 'UNAUTHORIZED', 'Sign in first.', { 'www-authenticate': 'Bearer' }),
  forbidden: () => refusal(403, 'FORBIDDEN', 'Not allowed with this session or token.'),
  insufficient_scope: (scope: string | undefined) =>
    refusal(403, 'INSUFFICIENT_SCOPE', `This needs the scope ${scope}.`, {
      'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
    }),
  unavailable: () => refusal(503, 'UNAVAILABLE', 'Try again in a moment.', { 'retry-after': '1' }),
}

function refusal(status: Refusal['status'], code: string, message: string, headers: Refusal['headers'] = {}): Refusal {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ code, message }),
  }
}
