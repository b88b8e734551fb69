import { AddressRefused } from '../public-addresses.ts'

/** The reasons for which a delivery can fail. The pages have words for each, and `docs/events.md` lists them. */
export const FAILURES = [
  'not_accepted',
  'redirected',
  'timed_out',
  'private_address',
  'http_not_allowed',
  'name_not_found',
  'name_not_resolved',
  'connection_refused',
  'connection_closed',
  'host_unreachable',
  'not_http',
  'headers_too_long',
  'tls_failed',
  'certificate_expired',
  'certificate_self_signed',
  'certificate_not_trusted',
  'certificate_of_another_host',
  'event_not_kept',
] as const

type Failure = (typeof FAILURES)[number]

export class Late extends Error {
  override readonly name = 'Late'
}

/** The connection was closed before there was a head. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

export function failureOfStatus(status: number): Failure {
  return status >= 300 && status < 400 ? 'redirected' : 'not_accepted'
}

/** An error without a name in this list keeps its system code. */
export function failureOf(error: unknown): string {
  if (error instanceof Late) return 'timed_out'
  if (error instanceof Unanswered) return 'connection_closed'
  if (error instanceof AddressRefused) return error.failure
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  return OF_CODES.get(code) ?? OF_KINDS.find(([kind]) => kind.test(code))?.[1] ?? code
}

const OF_CODES: ReadonlyMap<string, Failure> = new Map([
  ['ENOTFOUND', 'name_not_found'],
  ['EAI_AGAIN', 'name_not_resolved'],
  ['ECONNREFUSED', 'connection_refused'],
  ['ECONNRESET', 'connection_closed'],
  ['EPIPE', 'connection_closed'],
  ['EHOSTUNREACH', 'host_unreachable'],
  ['ENETUNREACH', 'host_unreachable'],
  ['ETIMEDOUT', 'host_unreachable'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_long'],
  ['CERT_HAS_EXPIRED', 'certificate_expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_self_signed'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate_not_trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate_not_trusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate_not_trusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_of_another_host'],
])

const OF_KINDS: readonly (readonly [RegExp, Failure])[] = [
  [/^HPE_/, 'not_http'],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO$)/, 'tls_failed'],
]
