import { type Caller, hasScope } from './caller.ts'
import type { Checked, Needed, Verifier } from './checks.ts'
import { credentialOf, type RequestLike } from './credential.ts'
import { Feed } from './feed/feed.ts'
import { type Clock, type Service, serviceOf, type VerifierOptions } from './options.ts'
import { Unavailable } from './read-answer.ts'
import { Remembered } from './remembered.ts'
import { digestOf } from './sha256.ts'
import { KeySet } from './tokens/key-set.ts'
import {
  callerIn,
  isSignedToken,
  LONGEST_LIFE_MILLISECONDS,
  readSignedToken,
  type SignedCaller,
} from './tokens/signed-token.ts'
import { Verifications } from './verifications.ts'

/** Facts about a credential, kept by its hash. */
interface Known {
  readonly caller: Caller
  readonly expiresAt: number
  /** The time at which Gatehouse was asked; undefined if the signature was verified here. */
  readonly askedAt: number | undefined
  readonly issuedAt: number
}

type Refused = Extract<Checked, { caller: undefined }>

const MOST_REMEMBERED = 100_000
const REMEMBERED_MILLISECONDS = 5 * 60_000
const REFUSED_MILLISECONDS = 5_000
/** After this time, a later request no longer shares the response to an earlier one. */
const SHARED_MILLISECONDS = 500
/** `ghs_`, `gha_` and future kinds: a prefix and 256 random bits. */
const OPAQUE = /^gh[a-z]_[A-Za-z0-9_-]{43}$/

/** `createVerifier` for products passes the real clock; tests pass their own. */
export function createVerifierAt(options: VerifierOptions, clock: Clock): Verifier {
  const service = serviceOf(options, clock)
  const { clientId, clientSecret, onConnection = () => undefined } = options
  if ((clientId === undefined) !== (clientSecret === undefined))
    throw new TypeError('createVerifier: clientId and clientSecret belong together')
  const feed =
    clientId !== undefined && clientSecret !== undefined
      ? new Feed(service, { clientId, clientSecret }, onConnection)
      : undefined
  void feed?.follow()
  return new CachingVerifier(service, feed)
}

class CachingVerifier implements Verifier {
  readonly #service: Service
  readonly #feed: Feed | undefined
  readonly #keys: KeySet
  readonly #verifications: Verifications
  readonly #known = new Remembered<Known>(MOST_REMEMBERED)
  readonly #refused = new Remembered<number>(MOST_REMEMBERED)
  readonly #learning = new Map<string, { readonly since: number; readonly result: Promise<Checked> }>()

  constructor(service: Service, feed: Feed | undefined) {
    this.#service = service
    this.#feed = feed
    this.#keys = new KeySet(service)
    this.#verifications = new Verifications(service)
  }

  async verify(request: RequestLike, needed?: Needed): Promise<Caller | undefined> {
    return (await this.check(request, needed)).caller
  }

  async check(request: RequestLike, { scope }: Needed = {}): Promise<Checked> {
    const token = credentialOf(request, this.#service.cookieName)
    if (token === undefined) return refused('unauthorized')
    const digest = await digestOf(token)
    const known = this.#known.get(digest)
    const checked = known && this.#isSure(known) ? known : await this.#learn(token, digest)
    if (!checked.caller || scope === undefined || hasScope(checked.caller, scope)) return checked
    return refused('insufficient_scope')
  }

  signInUrl(returnTo: string): string {
    return `${this.#service.issuer}/sign-in?${new URLSearchParams({ return_to: returnTo })}`
  }

  close(): void {
    this.#feed?.close()
  }

  /**
   * Without a feed, a signed token is valid until it expires, and other results are not remembered. With a feed, both
   * count only while it is followed.
   */
  #isSure({ caller, expiresAt, askedAt, issuedAt }: Known): boolean {
    const { clock } = this.#service
    if (clock.wall() >= expiresAt) return false
    const feed = this.#feed
    if (!feed) return askedAt === undefined
    if (!feed.isSure || feed.hasEnded(caller.kind, caller.id)) return false
    if (askedAt === undefined) return feed.coversSigned(caller.userId, issuedAt)
    const isRecent = clock.steady() < askedAt + REMEMBERED_MILLISECONDS
    return isRecent && feed.coversLearned(caller.userId, askedAt)
  }

  #hasEnded(caller: Caller | undefined): boolean {
    return caller !== undefined && this.#feed?.hasEnded(caller.kind, caller.id) === true
  }

  /** Many requests with one new credential cause one check. */
  #learn(token: string, digest: string): Promise<Checked> {
    const now = this.#service.clock.steady()
    if ((this.#refused.get(digest) ?? 0) > now) return Promise.resolve(refused('unauthorized'))
    const running = this.#learning.get(digest)
    if (running && now - running.since < SHARED_MILLISECONDS) return running.result
    const result = this.#look(token, digest).finally(() => {
      if (this.#learning.get(digest)?.result === result) this.#learning.delete(digest)
    })
    this.#learning.set(digest, { since: now, result })
    return result
  }

  async #look(token: string, digest: string): Promise<Checked> {
    if (this.#hasEnded(this.#known.get(digest)?.caller)) return this.#refuse(digest)
    if (OPAQUE.test(token)) return this.#ask(token, digest)
    if (!isSignedToken(token)) return refused('unauthorized')
    const signed = await this.#bySignature(token)
    if (signed === 'no') return this.#refuse(digest)
    const { caller, issuedAt, expiresAt, isProven } = signed
    if (this.#hasEnded(caller)) return this.#refuse(digest)
    const known = { caller, issuedAt, expiresAt, askedAt: undefined }
    const isEnough = isProven && expiresAt - issuedAt <= LONGEST_LIFE_MILLISECONDS && this.#isSure(known)
    return isEnough ? this.#remember(digest, known) : this.#ask(token, digest, expiresAt)
  }

  /** `no`: not signed by Gatehouse, or expired. Not proven: its keys cannot be read now. */
  async #bySignature(token: string): Promise<(SignedCaller & { readonly isProven: boolean }) | 'no'> {
    const { issuer, clock } = this.#service
    const signed = readSignedToken(token)
    const named = signed && callerIn(signed.claims, issuer, clock.wall())
    if (!signed || !named) return 'no'
    try {
      const key = await this.#keys.find(signed.kid)
      const isProven = key?.alg === signed.alg && (await key.verify(signed.data, signed.signature))
      return isProven ? { ...named, isProven } : 'no'
    } catch (error) {
      return error instanceof Unavailable ? { ...named, isProven: false } : 'no'
    }
  }

  async #ask(token: string, digest: string, latest = Number.POSITIVE_INFINITY): Promise<Checked> {
    const askedAt = this.#service.clock.steady()
    const answered = await this.#verifications.about(token)
    if (answered.kind === 'unauthorized') return this.#refuse(digest)
    if (answered.kind !== 'caller') return refused(answered.kind)
    const { caller } = answered
    const expiresAt = Math.min(answered.expiresAt, latest)
    // It ended while the answer was on its way.
    if (this.#hasEnded(caller)) return this.#refuse(digest)
    return this.#remember(digest, { caller, expiresAt, askedAt, issuedAt: 0 })
  }

  #remember(digest: string, known: Known): Checked {
    this.#known.set(digest, known)
    return known
  }

  #refuse(digest: string): Checked {
    this.#known.delete(digest)
    this.#refused.set(digest, this.#service.clock.steady() + REFUSED_MILLISECONDS)
    return refused('unauthorized')
  }
}

function refused(reason: Refused['refused']): Checked {
  return { caller: undefined, refused: reason }
}
