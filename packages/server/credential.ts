/** A `Headers` object or what Node's own requests have. */
export type HeadersLike =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

export interface RequestLike {
  readonly headers: HeadersLike
}

/** Exceeds every credential of Gatehouse; nothing is computed about longer ones. */
const LONGEST_TOKEN = 16_384

/** The bearer token, else the session's cookie; other schemes are ignored. */
export function credentialOf({ headers }: RequestLike, cookieName: string): string | undefined {
  const authorization = headerOf(headers, 'authorization')
  const token = bearerIn(authorization) ?? cookieIn(headerOf(headers, 'cookie'), cookieName)
  return token === undefined || token.length > LONGEST_TOKEN ? undefined : token
}

/** Used where cookies do not count. */
export function bearerOf({ headers }: RequestLike): string | undefined {
  return bearerIn(headerOf(headers, 'authorization'))
}

/** RFC 6749 section 2.3.1: both are form-encoded first. */
export function basicOf(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`
}

function headerOf(headers: HeadersLike, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

function isHeaders(headers: HeadersLike): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

function bearerIn(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length < 7) return undefined
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') return undefined
  return authorization.slice(7)
}

/**
 * Names are compared byte for byte, and a name that is sent twice has no value, because either of the two could
 * be Gatehouse's.
 */
function cookieIn(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  let found: string | undefined
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    if (at < 1 || withoutWhiteSpace(pair.slice(0, at)) !== name) continue
    if (found !== undefined) return undefined
    found = withoutWhiteSpace(pair.slice(at + 1))
  }
  return found
}

/**
 * Space and tab only (RFC 6265): a no-break space must not turn another cookie into this one. A loop and not a pattern,
 * which would start again at every space of a long row.
 */
function withoutWhiteSpace(text: string): string {
  let start = 0
  let end = text.length
  while (isWhiteSpace(text[start])) start++
  while (end > start && isWhiteSpace(text[end - 1])) end--
  return text.slice(start, end)
}

function isWhiteSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}
