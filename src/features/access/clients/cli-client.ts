import type { Client } from './client.ts'

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):([1-9]\d{0,4})\/callback$/

/** The built-in client: public, and the same everywhere, since the administrator cannot change it. */
export const cliClient: Client = {
  id: 'cli-client',
  name: 'Command-line client',
  kind: 'tool',
  scopes: [],
  isGuest: false,
  logoUrl: null,
  resource: null,
  homeUrl: null,
  skipsConsent: false,
  idTokenAlgorithm: 'EdDSA',
  requiresPkce: true,
  secretHash: null,
  postLogoutRedirectUris: [],
  hasRedirect: isLoopbackCallback,
  asStored: undefined,
  settingsRevision: undefined,
}

/** RFC 8252 section 7.3: the client picks the port, nothing else. */
function isLoopbackCallback(redirectUri: string): boolean {
  const port = LOOPBACK.exec(redirectUri)?.[1]
  return port !== undefined && Number(port) <= 65_535
}

export const UNKNOWN_CLIENT = `Unknown client; the command-line client is ${cliClient.id}, and the administrator registers others.`
