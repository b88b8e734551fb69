import type { Clock, VerifierOptions } from '../options.ts'

/** A moment by both clocks of this machine. */
export interface Moment {
  readonly wall: number
  readonly steady: number
}

type Told = Pick<VerifierOptions, 'onOutage' | 'onContact'>

/** What was learned counts without a question only if Gatehouse was heard from within this time. */
export const SURE_MILLISECONDS = 5_000
const LONGEST_SECONDS = 86_400

/**
 * In an outage the feed is not heard, and no question is answered. Then what was good at the last contact is lent, until
 * so many seconds after it.
 */
export class Outage {
  readonly seconds: number
  readonly #clock: Clock
  readonly #told: Told
  #contact: Moment | undefined
  /** When the latest question that Gatehouse answered was sent. */
  #answeredAt = Number.NEGATIVE_INFINITY
  #isOn = false
  /** The product knows of the outage, and not yet of its end. */
  #isTold = false
  #isClosed = false

  constructor(clock: Clock, seconds: number, told: Told) {
    this.seconds = seconds
    this.#clock = clock
    this.#told = told
  }

  get isPossible(): boolean {
    return this.seconds > 0
  }

  /** While it is on, requests are judged by what is known, without waiting for Gatehouse. */
  get isOn(): boolean {
    return this.#isOn
  }

  /** The feed was read to its end, as it was at this moment. */
  heard(contact: Moment): void {
    this.#contact = contact
    this.#isOn = false
    if (!this.#isTold) return
    this.#isTold = false
    this.#tell(() => this.#told.onContact?.())
  }

  answered(sentAt: number): void {
    this.#answeredAt = Math.max(this.#answeredAt, sentAt)
    this.#isOn = false
  }

  unanswered(sentAt: number): void {
    const contact = this.#contact
    if (!this.isPossible || this.#isClosed || this.#isOn || contact === undefined) return
    if (sentAt < this.#answeredAt || this.#clock.steady() < contact.steady + SURE_MILLISECONDS) return
    this.#isOn = true
    if (this.#isTold) return
    this.#isTold = true
    const since = contact.wall
    this.#tell(() => this.#told.onOutage?.({ since, until: since + this.seconds * 1_000 }))
  }

  /** True for what was good at the last contact, and whose session or grant has not ended. */
  lends({ expiresAt, endsAt }: { readonly expiresAt: number; readonly endsAt: number }): boolean {
    const contact = this.#contact
    if (!this.isPossible || contact === undefined) return false
    // Either clock can stand still, and one can be set, so the later of the two counts.
    const passed = Math.max(this.#clock.wall() - contact.wall, this.#clock.steady() - contact.steady)
    return expiresAt > contact.wall && contact.wall + passed < endsAt && passed < this.seconds * 1_000
  }

  close(): void {
    this.#isClosed = true
    this.#isOn = false
  }

  /** Runs in a microtask, so that an error in the product's callback does not end the feed. */
  #tell(callback: () => void): void {
    queueMicrotask(callback)
  }
}

/** The product chose for how long; by default nothing is lent. */
export function outageSecondsOf({ outage, clientId }: Pick<VerifierOptions, 'outage' | 'clientId'>): number {
  const seconds: unknown = outage === undefined ? 0 : outage.seconds
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= LONGEST_SECONDS))
    throw new TypeError(`createVerifier: outage.seconds must be a number from 0 to ${LONGEST_SECONDS}`)
  if (seconds > 0 && clientId === undefined)
    throw new TypeError('createVerifier: outage needs clientId and clientSecret, because it follows revocations')
  return seconds
}
