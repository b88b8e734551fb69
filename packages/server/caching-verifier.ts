import type { Caller } from './caller.ts'
import { allowed, type Checked, type Needed, type Refused, UNAUTHORIZED, UNAVAILABLE, type Verifier } from './checks.ts'
import { credentialOf, type RequestLike } from './credential.ts'
import { Feed } from './feed/feed.ts'
import { reportOf } from './feed/report.ts'
import { type Clock, type Service, serviceOf, type VerifierOptions } from './options.ts'
import { type Moment, Outage, outageSecondsOf } from './outage/outage.ts'
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
  readonly endsAt: number
  /** The time at which Gatehouse was asked; undefined if the signature was verified here. */
  readonly askedAt: number | undefined
  readonly issuedAt: number
}

const MOST_REMEMBERED = 100_000
const REMEMBERED_MILLISECONDS = 5 * 60_000
const REFUSED_MILLISECONDS = 5_000
/** After this time, a later request no longer shares the response to an earlier one. */
const SHARED_MILLISECONDS = 500
const LOOK_AGAIN_MILLISECONDS = 1_000
/** Of nobody: the answer says that Gatehouse can be asked. */
const NOBODYS_TOKEN = `ghs_${'0'.repeat(43)}`
/** `ghs_`, `gha_` and future kinds: a prefix and 256 random bits. */
const OPAQUE = /^gh[a-z]_[A-Za-z0-9_-]{43}$/

/** `createVerifier` for products passes the real clock; tests pass their own. */
export function createVerifierAt(options: VerifierOptions, clock: Clock): Verifier {
  const service = serviceOf(options, clock)
  const { clientId, clientSecret } = options
  if ((clientId === undefined) !== (clientSecret === undefined))
    throw new TypeError('createVerifier: clientId and clientSecret belong together')
  return new CachingVerifier(service, options)
}

class CachingVerifier implements Verifier {
  readonly #service: Service
  readonly #feed: Feed | undefined
  readonly #outage: Outage
  readonly #keys: KeySet
  readonly #verifications: Verifications
  readonly #known = new Remembered<Known>(MOST_REMEMBERED)
  readonly #refused = new Remembered<number>(MOST_REMEMBERED)
  readonly #learning = new Map<string, { readonly since: number; readonly result: Promise<Known | Refused> }>()

  constructor(service: Service, options: VerifierOptions) {
    this.#service = service
    this.#outage = new Outage(service.clock, outageSecondsOf(options), options)
    this.#keys = new KeySet(service)
    this.#verifications = new Verifications(service, this.#outage)
    this.#feed = this.#follow(options)
  }

  async verify(request: RequestLike, needed?: Needed): Promise<Caller | undefined> {
    return (await this.check(request, needed)).caller
  }

  async check(request: RequestLike, needed: Needed = {}): Promise<Checked> {
    const token = credentialOf(request, this.#service.cookieName)
    if (token === undefined) return UNAUTHORIZED
    const digest = await digestOf(token)
    const known = this.#known.get(digest)
    if (known && this.#isSure(known)) return allowed(known.caller, needed)
    const learned = this.#outage.isOn && known && this.#isLent(known) ? UNAVAILABLE : await this.#learn(token, digest)
    if (learned.caller) return allowed(learned.caller, needed)
    return learned === UNAVAILABLE && this.#outage.isOn ? this.#lend(digest, needed) : learned
  }

  /** Without Gatehouse, what was good at the last contact counts. */
  #lend(digest: string, needed: Needed): Checked {
    const known = this.#known.get(digest)
    return known && this.#isLent(known) ? allowed({ ...known.caller, outage: true }, needed) : UNAVAILABLE
  }

  signInUrl(returnTo: string): string {
    return `${this.#service.issuer}/sign-in?${new URLSearchParams({ return_to: returnTo })}`
  }

  close(): void {
    this.#feed?.close()
    this.#outage.close()
  }

  #follow(options: VerifierOptions): Feed | undefined {
    const { clientId, clientSecret, onConnection } = options
    const report = reportOf(options, this.#outage.seconds, 'createVerifier')
    if (clientId === undefined || clientSecret === undefined) return undefined
    const watch = {
      heard: (moment: Moment) => this.#outage.heard(moment),
      // What has ended must not be lent once the feed has forgotten it.
      forgetting: () => this.#outage.isPossible && this.#known.keepOnly((known) => this.#isUntouched(known)),
      lost: () => this.#lookForGatehouse(),
    }
    const feed = new Feed(this.#service, {
      clientId,
      clientSecret,
      report,
      watch,
      ...(onConnection && { onConnection }),
    })
    void feed.follow()
    return feed
  }

  async #lookForGatehouse(): Promise<number> {
    if (!this.#outage.isPossible) return 0
    const answered = await this.#verifications.about(NOBODYS_TOKEN)
    return answered === UNAVAILABLE ? LOOK_AGAIN_MILLISECONDS : 0
  }

  /**
   * Without a feed, a signed token is valid until it expires, and other results are not remembered. With a feed, both
   * count only while it is followed.
   */
  #isSure(known: Known): boolean {
    const { clock } = this.#service
    if (clock.wall() >= known.expiresAt) return false
    const { askedAt } = known
    if (!this.#feed) return askedAt === undefined
    const isRecent = askedAt === undefined || clock.steady() < askedAt + REMEMBERED_MILLISECONDS
    return this.#feed.isSure && isRecent && this.#isUntouched(known)
  }

  #isLent(known: Known): boolean {
    return this.#outage.lends(known) && this.#isUntouched(known)
  }

  /** Nothing that was heard since it was learned is about it, its user or everyone. */
  #isUntouched({ caller, askedAt, issuedAt }: Known): boolean {
    const feed = this.#feed
    if (!feed || feed.hasEnded(caller.kind, caller.id)) return false
    return askedAt === undefined ? feed.coversSigned(caller, issuedAt) : feed.coversLearned(caller, askedAt)
  }

  #hasEnded(caller: Caller | undefined): boolean {
    return caller !== undefined && this.#feed?.hasEnded(caller.kind, caller.id) === true
  }

  /** Many requests with one new credential cause one check. */
  #learn(token: string, digest: string): Promise<Known | Refused> {
    const now = this.#service.clock.steady()
    if ((this.#refused.get(digest) ?? 0) > now) return Promise.resolve(UNAUTHORIZED)
    const running = this.#learning.get(digest)
    if (running && now - running.since < SHARED_MILLISECONDS) return running.result
    const result = this.#look(token, digest).finally(() => {
      if (this.#learning.get(digest)?.result === result) this.#learning.delete(digest)
    })
    this.#learning.set(digest, { since: now, result })
    return result
  }

  async #look(token: string, digest: string): Promise<Known | Refused> {
    if (this.#hasEnded(this.#known.get(digest)?.caller)) return this.#refuse(digest)
    if (OPAQUE.test(token)) return this.#ask(token, digest)
    if (!isSignedToken(token)) return UNAUTHORIZED
    const signed = await this.#bySignature(token)
    if (signed === 'no') return this.#isLost(digest) ? this.#ask(token, digest) : this.#refuse(digest)
    const { caller, issuedAt, expiresAt, endsAt, isProven } = signed
    if (this.#hasEnded(caller)) return this.#refuse(digest)
    const known = { caller, issuedAt, expiresAt, endsAt, askedAt: undefined }
    const isEnough = isProven && expiresAt - issuedAt <= LONGEST_LIFE_MILLISECONDS && this.#isSure(known)
    return isEnough ? this.#remember(digest, known) : this.#ask(token, digest, expiresAt)
  }

  /** `no`: not signed by Gatehouse, or expired. Not proven: its keys cannot be read now. */
  async #bySignature(token: string): Promise<(SignedCaller & { readonly isProven: boolean }) | 'no'> {
    const { issuer, clock } = this.#service
    const signed = readSignedToken(token)
    const named = signed && callerIn(signed.claims, issuer, clock.wall())
    if (!signed || !named) return 'no'
    if (this.#outage.isOn) return { ...named, isProven: false }
    try {
      const key = await this.#keys.find(signed.kid)
      const isProven = key?.alg === signed.alg && (await key.verify(signed.data, signed.signature))
      return isProven ? { ...named, isProven } : 'no'
    } catch (error) {
      return error instanceof Unavailable ? { ...named, isProven: false } : 'no'
    }
  }

  /** It has expired, but counts if Gatehouse does not answer. */
  #isLost(digest: string): boolean {
    const known = this.#known.get(digest)
    return known !== undefined && this.#feed?.isSure === false && this.#isLent(known)
  }

  async #ask(token: string, digest: string, latest = Number.POSITIVE_INFINITY): Promise<Known | Refused> {
    if (this.#outage.isOn) return UNAVAILABLE
    const askedAt = this.#service.clock.steady()
    const answered = await this.#verifications.about(token)
    if (answered === UNAUTHORIZED) return this.#refuse(digest)
    if (!answered.caller) {
      if (answered !== UNAVAILABLE) this.#known.delete(digest)
      return answered
    }
    const { caller, endsAt } = answered
    const expiresAt = Math.min(answered.expiresAt, latest)
    // It ended while the answer was on its way.
    if (this.#hasEnded(caller)) return this.#refuse(digest)
    return this.#remember(digest, { caller, expiresAt, endsAt, askedAt, issuedAt: 0 })
  }

  #remember(digest: string, known: Known): Known {
    this.#known.set(digest, known)
    return known
  }

  #refuse(digest: string): Refused {
    this.#known.delete(digest)
    this.#refused.set(digest, this.#service.clock.steady() + REFUSED_MILLISECONDS)
    return UNAUTHORIZED
  }
}
