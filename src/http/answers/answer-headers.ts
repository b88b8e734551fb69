import type { Config } from '../../config/config.ts'

/** Headers of every response, unless it sets its own. */
export function answerHeaders({ isHttps }: Config): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy':
      "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    // An answer that a browser has kept for one page lacks the CORS headers that a page of another origin needs.
    vary: 'Origin',
    ...(isHttps && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}
