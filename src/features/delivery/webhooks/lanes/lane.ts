import { setTimeout as wait } from 'node:timers/promises'
import type { WebhookTable } from '../../../../database/schema/products/webhooks.ts'
import type { Transport } from '../../../../platform/endpoints/transport.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { findClient } from '../../../access/clients/clients.ts'
import { secretsOf } from '../sending/message.ts'
import { Backlog, type Due, LaneLost } from './backlog.ts'
import { type Attempt, deliver, type Endpoint, noteAttempts } from './delivering.ts'
import * as store from './store.ts'

const AT_ONCE = 8
const LEASE_MILLISECONDS = 45_000
const RENEW_MILLISECONDS = 10_000
/** A delivery that began later could still be under way when another process takes the lane. */
const LAST_BEGIN_MILLISECONDS = 15_000
/** Outcomes within this time are noted together, those of all lanes in one commit. */
const GATHER_MILLISECONDS = 25

/**
 * One endpoint's work in one process: turns events into deliveries and sends them, at most `AT_ONCE` at a time
 * and one after the other for each user. The next one is sent before the last outcome is noted. Ends when there
 * is nothing left to do.
 */
export class Lane {
  readonly #platform: Platform
  readonly #transport: Transport
  readonly #id: string
  readonly #owner: string
  readonly #backlog: Backlog
  /** Unsealed, by their sealed form. */
  readonly #secrets = new Map<string, string>()
  /** The endpoint as it was last claimed. */
  #webhook: WebhookTable | undefined
  #isWorking = true
  #renewedAt = Number.NEGATIVE_INFINITY
  /** Users with a delivery under way. */
  readonly #busy = new Set<string>()
  /** Users with a failed delivery that is not noted yet. */
  readonly #postponed = new Set<string>()
  /** Finished, and not noted yet. */
  #attempts: Attempt[] = []
  #changed = Promise.withResolvers<void>()

  constructor(platform: Platform, transport: Transport, id: string, owner: string) {
    this.#platform = platform
    this.#transport = transport
    this.#id = id
    this.#owner = owner
    this.#backlog = new Backlog(platform, id, owner)
  }

  /** There may be new events. */
  wake(): void {
    this.#backlog.isMore = true
    this.#changed.resolve()
  }

  async run(): Promise<void> {
    try {
      await this.#work()
    } catch (error) {
      if (!(error instanceof LaneLost)) throw error
    } finally {
      this.#isWorking = false
      // After an error, deliveries accepted in the meantime are not recorded, and are sent again.
      while (this.#busy.size > 0) await this.#change()
    }
    await this.#note()
    if (this.#webhook) await store.release(this.#platform.meta, this.#id, this.#owner)
  }

  async #work(): Promise<void> {
    for (;;) {
      const webhook = await this.#claim()
      if (!webhook) return
      await this.#note()
      const row = this.#backlog.needsRefill ? await this.#backlog.refill(webhook, this.#postponed) : undefined
      this.#begin(row)
      if (this.#busy.size === 0 && this.#attempts.length === 0 && !this.#backlog.isMore) return
      if (this.#busy.size > 0) {
        await this.#change()
        await wait(GATHER_MILLISECONDS - (performance.now() % GATHER_MILLISECONDS))
      }
    }
  }

  /** Resolves when an outcome or a change has arrived, or when the lease must be renewed. */
  async #change(): Promise<void> {
    const late = setTimeout(this.#changed.resolve, RENEW_MILLISECONDS)
    await this.#changed.promise
    clearTimeout(late)
    this.#changed = Promise.withResolvers()
  }

  /**
   * Undefined if this process is stopping, if another one has the lane, or if the endpoint was switched off
   * or deleted.
   */
  async #claim(): Promise<WebhookTable | undefined> {
    const { meta, now, ending } = this.#platform
    if (ending.aborted || !this.#isWorking) return undefined
    const started = performance.now()
    if (started - this.#renewedAt < RENEW_MILLISECONDS) return this.#webhook
    const at = now()
    const webhook = await store.claim(meta, this.#id, this.#owner, at, at + LEASE_MILLISECONDS)
    if (!webhook) return undefined
    this.#renewedAt = started
    this.#webhook = webhook
    return webhook
  }

  /** Takes the endpoint's row if it was just read. */
  #begin(row?: store.ClaimedWebhook): void {
    if (!this.#isWorking || !this.#mayBegin()) return
    let endpoint: Promise<Endpoint | undefined> | undefined
    while (this.#busy.size < AT_ONCE) {
      const due = this.#backlog.take(this.#busy)
      if (!due) return
      endpoint ??= this.#readEndpoint(row)
      void this.#send(due, endpoint)
    }
  }

  /** False if this process was paused for so long that another one may have the lane. */
  #mayBegin(): boolean {
    const { ending, now } = this.#platform
    return !ending.aborted && now() < (this.#webhook?.claimed_until ?? 0) - LAST_BEGIN_MILLISECONDS
  }

  async #send(due: Due, reading: Promise<Endpoint | undefined>): Promise<void> {
    const { log, ending } = this.#platform
    this.#busy.add(due.user)
    try {
      const endpoint = await reading
      if (endpoint) await this.#deliver(endpoint, due)
      else this.#backlog.putBack(due)
    } catch (error) {
      if (!ending.aborted) log.error({ error, webhook: this.#id }, 'a delivery could not be sent')
      this.#backlog.noted([due.delivery.id])
      this.#postpone(due.user)
    }
    this.#busy.delete(due.user)
    this.#begin()
    this.#changed.resolve()
  }

  /**
   * Read for the deliveries that begin at this moment, so that nothing is sent with outdated settings. Undefined if
   * nothing more can begin.
   */
  async #readEndpoint(known?: store.ClaimedWebhook): Promise<Endpoint | undefined> {
    const row = known ?? (await this.#readClaimed())
    if (!row || !this.#mayBegin()) return undefined
    const { url, application_id } = row
    if (application_id !== null) return this.#readRecipient(url, application_id)
    return { url, secrets: secretsOf(this.#platform, row, this.#secrets) }
  }

  async #readRecipient(url: string, applicationId: string): Promise<Endpoint | undefined> {
    const client = await findClient(this.#platform, applicationId)
    if (!client || !this.#mayBegin()) return undefined
    return { url, logout: { clientId: client.id, algorithm: client.idTokenAlgorithm } }
  }

  async #readClaimed() {
    let row: Awaited<ReturnType<typeof store.claimedWebhook>>
    try {
      row = await store.claimedWebhook(this.#platform.meta, this.#id, this.#owner)
    } finally {
      // Happens also while the store is away: what waits in memory waits in the store too.
      if (!row) this.#isWorking = false
    }
    return row
  }

  async #deliver(endpoint: Endpoint, due: Due): Promise<void> {
    const attempt = await deliver(this.#platform, this.#transport, endpoint, due)
    this.#attempts.push(attempt)
    if (attempt.next !== undefined) this.#postpone(due.user)
  }

  #postpone(user: string): void {
    this.#postponed.add(user)
    this.#backlog.leaveToStore(user)
  }

  async #note(): Promise<void> {
    const attempts = this.#attempts.splice(0)
    const postponed = [...this.#postponed]
    if (attempts.length > 0 && this.#webhook) {
      const came = await noteAttempts(this.#platform, this.#webhook, attempts)
      if (came === 'more is due') this.#backlog.isMore = true
    }
    this.#backlog.noted(attempts.map(({ due }) => due.delivery.id))
    for (const user of postponed) this.#postponed.delete(user)
  }
}
