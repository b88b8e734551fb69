/** The one client, fixed and public. */
export const client = { id: 'cli-client', name: 'Gatehouse CLI' } as const

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):([1-9]\d{0,4})\/callback$/

/** RFC 8252 section 7.3: the client picks the port, nothing else. */
export function isOwnRedirect(redirectUri: string): boolean {
  const port = LOOPBACK.exec(redirectUri)?.[1]
  return port !== undefined && Number(port) <= 65_535
}
