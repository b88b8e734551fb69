import { usage } from './terminal/failure.ts'

/** The origin of a server that a token may be sent to: https, or http on this very machine. */
export function parseServer(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (!url || !isBareOrigin(url)) {
    throw usage(`"${text}" is no server address; give its origin, like https://gatehouse.example.com`)
  }
  if (url.protocol === 'https:' || isLoopback(url)) return url.origin

  throw usage(`refusing ${url.origin}: tokens travel over https, or over http to this machine only`)
}

export function isLoopback(url: URL): boolean {
  return url.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)
}

function isBareOrigin(url: URL): boolean {
  return (
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === ''
  )
}
