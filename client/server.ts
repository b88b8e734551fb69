import { usage } from './terminal/failure.ts'

/** Returns the origin of a server to which a token may be sent: https, or http on this machine. */
export function parseServer(text: string): string {
  const url = URL.parse(withScheme(text))
  if (url?.username || url?.password) {
    throw usage(`leave the user name and password out of the server address; give only ${url.origin}`)
  }
  if (!url || !isBareOrigin(url)) {
    throw usage(`"${text}" is not a server address; give its origin, like https://gatehouse.example.com`)
  }
  if (url.protocol === 'https:' || isLoopback(url)) return url.origin

  throw usage(`refusing ${url.origin}: tokens are sent over https, or over http to this machine only`)
}

/** True if `parseServer` could have returned it. */
export function isServer(text: string): boolean {
  const url = URL.parse(text)
  return url?.origin === text && (url.protocol === 'https:' || isLoopback(url))
}

/** An address of this machine is http, any other https. */
function withScheme(text: string): string {
  if (text.includes('://')) return text
  const local = URL.parse(`http://${text}`)
  return local && isLoopback(local) ? local.href : `https://${text}`
}

export function isLoopback(url: URL): boolean {
  return url.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}

function isBareOrigin(url: URL): boolean {
  return /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '' && url.hash === ''
}
