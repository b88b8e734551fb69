import { v7 as newId } from 'uuid'
import type { WebhookDeliveryTable, WebhookTable } from '../../../database/schema/webhooks.ts'
import type { Platform } from '../../../platform/platform.ts'
import { eventsAfter } from '../../events/listing.ts'
import { AT_ONCE, type Sender } from '../sending/send.ts'
import { deliver } from './delivering.ts'
import * as store from './store.ts'

/** Longer than an answer can take, and a renewal. */
const LEASE_MILLISECONDS = 45_000
const RENEW_MILLISECONDS = 10_000
const EVENTS_AT_ONCE = 500
const QUEUED_AT_MOST = 128
const REFILL_BELOW = 32
/** How far the written position may fall behind when no event is for this endpoint, in milliseconds. */
const UNWRITTEN_MILLISECONDS = 10_000
const POSITIONS_A_MILLISECOND = 1_024

/**
 * One endpoint's work in one process: events become deliveries, and deliveries are sent, at most `AT_ONCE` at a time
 * and one after the other for each user. Ends when there is nothing to do.
 */
export class Lane {
  readonly #platform: Platform
  readonly #sender: Sender
  readonly #id: string
  readonly #owner: string
  #webhook: WebhookTable | undefined
  #renewedAt = 0
  /** Of the order, in this process; the stored one may be behind it. */
  #position = 0
  #queue: WebhookDeliveryTable[] = []
  readonly #running = new Map<string, WebhookDeliveryTable>()
  #isMore = true
  #changed = Promise.withResolvers<void>()

  constructor(platform: Platform, sender: Sender, id: string, owner: string) {
    this.#platform = platform
    this.#sender = sender
    this.#id = id
    this.#owner = owner
  }

  /** There may be new events. */
  wake(): void {
    this.#isMore = true
    this.#changed.resolve()
  }

  async run(): Promise<void> {
    while (await this.#goesOn()) {
      if (this.#isMore && this.#queue.length < REFILL_BELOW) await this.#refill()
      this.#start()
      if (this.#running.size > 0) await this.#change()
      else if (!this.#isMore) break
    }
    while (this.#running.size > 0) await this.#change()
    if (this.#webhook) await store.release(this.#platform.meta, this.#id, this.#owner)
  }

  async #goesOn(): Promise<boolean> {
    return !this.#platform.ending.aborted && (await this.#hold())
  }

  /** Something was sent or has happened; or the lease is to be renewed. */
  async #change(): Promise<void> {
    const late = setTimeout(this.#changed.resolve, RENEW_MILLISECONDS)
    await this.#changed.promise
    clearTimeout(late)
    this.#changed = Promise.withResolvers()
  }

  /** False if another process has the lane, or it was switched off or deleted. */
  async #hold(): Promise<boolean> {
    const { meta, now } = this.#platform
    if (this.#webhook && performance.now() - this.#renewedAt < RENEW_MILLISECONDS) return true
    const at = now()
    this.#webhook = await store.claim(meta, this.#id, this.#owner, at, at + LEASE_MILLISECONDS)
    this.#renewedAt = performance.now()
    this.#position = Math.max(this.#position, this.#webhook?.position ?? 0)
    return this.#webhook !== undefined
  }

  async #refill(): Promise<void> {
    const { meta, now } = this.#platform
    this.#isMore = false
    const isMoreOfOrder = await this.#writeDown()
    const known = new Set([...this.#queue, ...this.#running.values()].map(({ id }) => id))
    const limit = known.size + QUEUED_AT_MOST
    const due = await store.dueDeliveries(meta, this.#id, now(), limit)
    this.#queue.push(...due.filter(({ id }) => !known.has(id)))
    this.#queue.sort((a, b) => a.position - b.position)
    if (isMoreOfOrder || due.length === limit) this.#isMore = true
  }

  /** True if there are more events than were looked at. */
  async #writeDown(): Promise<boolean> {
    const { meta, now } = this.#platform
    const types = JSON.parse(this.#webhook?.types ?? '[]')
    const query = { after: String(this.#position), types, limit: EVENTS_AT_ONCE }
    const { items, next } = await eventsAfter(this.#platform, query)
    const position = Number(next)
    const behind = position - (this.#webhook?.position ?? 0)
    if (items.length > 0 || behind > UNWRITTEN_MILLISECONDS * POSITIONS_A_MILLISECOND) {
      const rows = items.map(({ id: event_id, type, user_id, position: at }) => ({
        id: newId(),
        webhook_id: this.#id,
        event_id,
        type,
        user_id,
        position: at,
        created_at: now(),
      }))
      await meta.batch(store.writeDown(meta, this.#id, position, rows))
      if (this.#webhook) this.#webhook = { ...this.#webhook, position }
    }
    this.#position = position
    return items.length === EVENTS_AT_ONCE
  }

  #start(): void {
    const busy = new Set([...this.#running.values()].map(userOf))
    const left: WebhookDeliveryTable[] = []
    for (const delivery of this.#queue) {
      const user = userOf(delivery)
      if (this.#running.size >= AT_ONCE || busy.has(user)) left.push(delivery)
      else void this.#deliver(delivery)
      busy.add(user)
    }
    this.#queue = left
  }

  async #deliver(delivery: WebhookDeliveryTable): Promise<void> {
    const { log, ending } = this.#platform
    this.#running.set(delivery.id, delivery)
    let isDone = false
    try {
      isDone =
        this.#webhook !== undefined && (await deliver(this.#platform, this.#sender, this.#webhook, delivery))
    } catch (error) {
      if (!ending.aborted) log.error({ err: error, webhook: this.#id }, 'a delivery could not be noted')
    } finally {
      // What is behind a failed one waits for its next try.
      if (!isDone) this.#queue = this.#queue.filter((queued) => userOf(queued) !== userOf(delivery))
      this.#running.delete(delivery.id)
      this.#changed.resolve()
    }
  }
}

/** What concerns nobody has no order to keep. */
function userOf({ id, user_id }: WebhookDeliveryTable): string {
  return user_id ?? `delivery ${id}`
}
