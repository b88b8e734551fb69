import type { Organization } from '../caller.ts'
import { basicOf } from '../credential.ts'
import type { Service, VerifierOptions } from '../options.ts'
import { type Moment, SURE_MILLISECONDS } from '../outage/outage.ts'
import { readJson, Unavailable } from '../read-answer.ts'
import { CLOCK_SKEW_MILLISECONDS } from '../tokens/signed-token.ts'
import type { Report } from './report.ts'
import { type Page, pageIn, type Revocation } from './revocation-page.ts'

interface Following extends Pick<VerifierOptions, 'onConnection'> {
  readonly clientId: string
  readonly clientSecret: string
  readonly report: Report
  readonly watch?: Watch
}

/** Those who remember what the feed covers. */
interface Watch {
  /** All that had ended by then is known. */
  heard(moment: Moment): void
  /** What ended long ago is about to be forgotten. */
  forgetting(): void
  /** The feed was not heard for too long. Returns for how long to wait before it is asked again. */
  lost(): Promise<number>
}

type OnConnection = NonNullable<VerifierOptions['onConnection']>

const WAIT_SECONDS = 2
const PATIENCE_MILLISECONDS = 4_000
const FULL_PAGE = 1_000
const PAUSE_MILLISECONDS = 100
const LONGEST_PAUSE_MILLISECONDS = 1_000
/** Exceeds the lifetime of a signed token, and that of any cached result. */
const KEPT_MILLISECONDS = 10 * 60_000
const MOST_KEPT = 200_000

/** Follows what Gatehouse has revoked. While it cannot, nothing that it remembers counts. */
export class Feed {
  readonly #service: Service
  readonly #authorization: string
  readonly #onConnection: OnConnection
  readonly #report: Report
  readonly #watch: Watch | undefined
  readonly #closing = new AbortController()
  #after: string | undefined
  #sureUntil = Number.NEGATIVE_INFINITY
  /** Nothing learned before is covered. */
  #coveredFrom = { wall: Number.POSITIVE_INFINITY, steady: Number.POSITIVE_INFINITY }
  #young = new Map<string, Ended>()
  #old = new Map<string, Ended>()
  #turnedAt = 0
  #failures = 0
  #isFollowing = false

  constructor(service: Service, { clientId, clientSecret, onConnection = () => undefined, report, watch }: Following) {
    this.#service = service
    this.#authorization = basicOf(clientId, clientSecret)
    this.#onConnection = onConnection
    this.#report = report
    this.#watch = watch
  }

  /** Gatehouse was heard from a moment ago, so every revocation is known here. */
  get isSure(): boolean {
    return this.#service.clock.steady() < this.#sureUntil
  }

  /** True if a session or grant has certainly ended: it never comes back. */
  hasEnded(kind: 'session' | 'grant', id: string): boolean {
    return this.#find(`${kind} ${id}`) !== undefined
  }

  /**
   * True if something learned at `steady` was learned while revocations were followed, and none concerns its user or
   * organisation.
   */
  coversLearned(about: About, steady: number): boolean {
    return steady >= this.#coveredFrom.steady && this.#about(about).every((ended) => ended.steady < steady)
  }

  /** The same for a token signed at `wall`, by the clock of a process of Gatehouse. */
  coversSigned(about: About, wall: number): boolean {
    const { clock } = this.#service
    const from = this.#coveredFrom
    // The wall clock can be set in the meantime, so the beginning is calculated in two ways, and the later one counts.
    const begunAt = Math.max(from.wall, clock.wall() - (clock.steady() - from.steady))
    // Another process of Gatehouse may have signed it.
    const endedAt = this.#about(about).map(({ at }) => at)
    return wall > Math.max(begunAt, ...endedAt) + CLOCK_SKEW_MILLISECONDS
  }

  async follow(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#pause(await this.#turn())
      if (this.#watch && !this.isSure && !this.#closing.signal.aborted) await this.#pause(await this.#watch.lost())
    }
  }

  close(): void {
    this.#sureUntil = Number.NEGATIVE_INFINITY
    this.#closing.abort()
  }

  /** Returns for how long to wait. */
  async #turn(): Promise<number> {
    const { clock } = this.#service
    const sentAt = { wall: clock.wall(), steady: clock.steady() }
    const waitSeconds = this.#isFollowing ? WAIT_SECONDS : 0
    try {
      const { items, next, everyone } = await this.#ask(waitSeconds)
      if (this.#after === undefined || everyone) this.#begin()
      this.#after = next
      this.#keep(items)
      if (items.length < FULL_PAGE) this.#hear(sentAt)
      this.#failures = 0
      // If the server does not hold the request, pause before the next one.
      const tookMilliseconds = clock.steady() - sentAt.steady
      const isEarly = waitSeconds > 0 && items.length === 0 && tookMilliseconds < PAUSE_MILLISECONDS
      return isEarly ? PAUSE_MILLISECONDS : 0
    } catch (error) {
      return this.#failed(error)
    }
  }

  #failed(error: unknown): number {
    if (this.#closing.signal.aborted) return 0
    // The server no longer knows the cursor, so nothing learned before counts.
    if (error instanceof UnknownCursor) this.#after = undefined
    if (this.#isFollowing || this.#failures === 0)
      this.#tell('cut off', error instanceof Error ? error : new Unavailable(String(error)))
    this.#isFollowing = false
    this.#failures++
    return Math.min(PAUSE_MILLISECONDS * 2 ** this.#failures, LONGEST_PAUSE_MILLISECONDS)
  }

  #begin(): void {
    const { clock } = this.#service
    this.#coveredFrom = { wall: clock.wall(), steady: clock.steady() }
  }

  #hear(sentAt: Moment): void {
    this.#sureUntil = sentAt.steady + SURE_MILLISECONDS
    this.#watch?.heard(sentAt)
    if (!this.#isFollowing) this.#tell('following')
    this.#isFollowing = true
  }

  /** Runs in a microtask, so that an error in the product's callback does not end the feed. */
  #tell(...told: Parameters<OnConnection>): void {
    queueMicrotask(() => this.#onConnection(...told))
  }

  async #ask(waitSeconds: number): Promise<Page> {
    const { ask, address } = this.#service
    const nonce = crypto.randomUUID()
    const response = await ask(`${address}/api/oauth/revocations`, {
      method: 'POST',
      headers: { authorization: this.#authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        after: this.#after,
        wait_seconds: waitSeconds,
        nonce,
        organizations: true,
        ...this.#report,
      }),
      redirect: 'error',
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
    })
    if (response.status === 400) {
      await response.body?.cancel()
      throw new UnknownCursor('Gatehouse does not know where the last response ended')
    }
    const page = pageIn(await readJson(response))
    // A cached or recorded response says nothing about now.
    if (page.nonce !== nonce) throw new Unavailable('the response is to another request')
    if (Number(page.next) < Number(this.#after))
      throw new Unavailable('the response goes back to revocations that were read before')
    return page
  }

  #keep(items: readonly Revocation[]): void {
    const steady = this.#service.clock.steady()
    if (steady - this.#turnedAt > KEPT_MILLISECONDS) this.#turnOver(steady)
    for (const { kind, id, at } of items) this.#young.set(`${kind} ${id}`, { steady, at })
    // The memory is full: everything learned until now must be asked for again.
    if (this.#young.size > MOST_KEPT) {
      this.#turnOver(steady)
      this.#begin()
    }
  }

  #turnOver(steady: number): void {
    this.#watch?.forgetting()
    this.#old = this.#young
    this.#young = new Map()
    this.#turnedAt = steady
  }

  #about({ userId, organization }: About): readonly Ended[] {
    const found = [this.#find(`user ${userId}`), organization && this.#find(`organization ${organization.id}`)]
    return found.filter((one) => one !== undefined)
  }

  #find(key: string): Ended | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  async #pause(milliseconds: number): Promise<void> {
    if (milliseconds === 0) return
    const { signal } = this.#closing
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, milliseconds)
      function done() {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
    })
  }
}

/** Whom a change of the user or of the organisation concerns. */
interface About {
  readonly userId: string
  readonly organization: Organization | undefined
}

interface Ended {
  /** When it was heard here. */
  readonly steady: number
  /** When it happened, by the clock of Gatehouse. */
  readonly at: number
}

class UnknownCursor extends Error {
  override readonly name = 'UnknownCursor'
}
