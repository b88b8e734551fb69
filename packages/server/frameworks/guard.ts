import type { Caller } from '../caller.ts'
import type { Needed, Refused, Verifier } from '../checks.ts'
import type { RequestLike } from '../credential.ts'

export interface GuardOptions extends Needed {
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
  { origin, ...needed }: GuardOptions,
): Promise<Guarded> {
  const checked = await verifier.check(asked, needed)
  if (checked.ok) return checked
  const isPage = checked.code === 'UNAUTHORIZED' && origin !== undefined && asksForPage(asked)
  const refusal = isPage ? signIn(verifier.signInUrl(pageOf(origin, asked.path))) : answerTo(checked, needed.scope)
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

function answerTo({ code, message }: Refused, scope: string | undefined): Refusal {
  const [status, headers] = headOf(code, scope)
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ code, message }),
  }
}

function headOf(code: string, scope: string | undefined): readonly [Refusal['status'], Refusal['headers']] {
  if (code === 'UNAUTHORIZED') return [401, { 'www-authenticate': 'Bearer' }]
  if (code === 'UNAVAILABLE') return [503, { 'retry-after': '1' }]
  if (code !== 'INSUFFICIENT_SCOPE' || scope === undefined) return [403, {}]
  return [403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` }]
}
