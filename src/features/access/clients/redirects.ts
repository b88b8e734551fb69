import type { ApplicationKind, ApplicationTable } from '../../../database/schema/products/applications.ts'

export const ON_THIS_MACHINE = 'http://127.0.0.1, http://[::1] or http://localhost'
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]'])

/**
 * Compares addresses as text; only a native application can choose the port of its loopback address (RFC 8252), which
 * otherwise must be an address that could be registered: without user, password or fragment.
 */
export function isRegisteredRedirect(
  { kind, origin }: Pick<ApplicationTable, 'kind' | 'origin'>,
  registered: readonly string[],
  redirectUri: string,
): boolean {
  if (registered.includes(redirectUri)) return true
  if (kind !== 'native' || faultOfRedirect(kind, redirectUri) !== undefined) return false
  const asked = URL.parse(redirectUri)
  // `localhost` can be another machine in a hosts file, but clients that describe themselves mostly use it anyway.
  const isLocal = origin === 'administrator' ? isLoopback : isOnThisMachine
  if (!asked || !isLocal(asked) || asked.href !== redirectUri) return false
  return registered.some((one) => {
    const known = URL.parse(one)
    return known !== null && isLocal(known) && withoutPort(known) === withoutPort(asked)
  })
}

/** The reason the address cannot be registered; undefined if it can. */
export function faultOfRedirect(kind: ApplicationKind, redirectUri: string): string | undefined {
  const url = URL.parse(redirectUri)
  if (!url || /[\s\\*]/.test(redirectUri)) return 'This is not a valid address.'
  if (redirectUri.includes('#') || url.username !== '' || url.password !== '')
    return 'The address must not have a fragment or a user name.'
  return faultOfScheme(kind, redirectUri, url)
}

function faultOfScheme(kind: ApplicationKind, redirectUri: string, url: URL): string | undefined {
  if (url.protocol === 'https:' || isOnThisMachine(url)) return undefined
  if (kind !== 'native') return `Use https, or ${ON_THIS_MACHINE}.`
  if (isPrivateScheme(redirectUri)) return undefined
  return `Use https, ${ON_THIS_MACHINE}, or a scheme like com.example.app:/`
}

const EDITORS: ReadonlySet<string> = new Set(['vscode', 'vscode-insiders', 'cursor', 'windsurf', 'zed'])

/**
 * RFC 8252 section 7.1: a domain of the owner in reverse order, so it contains a dot, which no scheme has that a
 * browser runs or reads itself. Editors use a plain word.
 */
function isPrivateScheme(redirectUri: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):\//i.exec(redirectUri)?.[1]?.toLowerCase()
  if (scheme === undefined) return false
  return EDITORS.has(scheme) || /^[a-z0-9+-]+(?:\.[a-z0-9+-]+)+$/.test(scheme)
}

export function isOnThisMachine(url: URL): boolean {
  return isLoopback(url) || (url.protocol === 'http:' && url.hostname === 'localhost')
}

function isLoopback({ protocol, hostname, username }: URL): boolean {
  return protocol === 'http:' && LOOPBACK_HOSTS.has(hostname) && username === ''
}

function withoutPort(url: URL): string {
  return `${url.protocol}//${url.hostname}${url.pathname}${url.search}`
}
