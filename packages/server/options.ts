export interface VerifierOptions {
  /** The public address of Gatehouse, as its tokens name it: `https://id.example.com`. */
  readonly issuer: string
  /** The address of Gatehouse from this machine, if that is not the issuer: `http://gatehouse:5173`. */
  readonly address?: string | undefined
  /**
   * A `web` or `service` application. With it the verifier follows revocations, caches results, and refuses within a
   * second; without it, it asks Gatehouse about every session and access token.
   */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  /** What the console calls this back end, in at most 64 characters; by default the name of its host. */
  readonly name?: string | undefined
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Called when revocations can no longer be followed, and when they can be (again). */
  readonly onConnection?: (state: 'following' | 'cut off', reason?: Error) => void
  /**
   * While Gatehouse is down, who was let in at the last contact is still let in for so many seconds after it, from 0,
   * the default, to 86,400. Whom you suspend or sign out by other means meanwhile is let in too: `docs/outage.md`.
   */
  readonly outage?: { readonly seconds: number } | undefined
  /** Called when an outage begins. In milliseconds since 1970: the last contact, and the end of what is lent. */
  readonly onOutage?: (outage: { readonly since: number; readonly until: number }) => void
  /** Called after an outage, once all that ended meanwhile is known. */
  readonly onContact?: () => void
}

/** A parameter, so that tests can set the time. */
export interface Clock {
  /** Milliseconds since 1970, as in tokens. */
  wall(): number
  /** Milliseconds that never jump, for the age of remembered results. */
  steady(): number
}

export interface Service {
  readonly issuer: string
  readonly address: string
  readonly cookieName: string
  readonly ask: typeof fetch
  readonly clock: Clock
}

export const realClock: Clock = { wall: () => Date.now(), steady: () => performance.now() }

export function serviceOf(options: VerifierOptions, clock: Clock, maker = 'createVerifier'): Service {
  const issuer = originOf(options.issuer, maker, 'issuer')
  if (!issuer.startsWith('https:') && !isThisMachine(issuer))
    throw new TypeError(`${maker}: issuer must be an https address, or one of this machine`)
  return {
    issuer,
    address: originOf(options.address ?? issuer, maker, 'address'),
    cookieName: issuer.startsWith('https:') ? '__Host-session' : 'session',
    ask: options.fetch ?? ((input, init) => fetch(input, init)),
    clock,
  }
}

function originOf(text: string, maker: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username) return url.origin
  throw new TypeError(`${maker}: ${name} must be an address without a path, like https://id.example.com`)
}

function isThisMachine(origin: string): boolean {
  return /^http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(origin)
}
