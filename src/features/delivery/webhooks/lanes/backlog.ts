import { v7 as newId } from 'uuid'
import { batchBehind } from '../../../../database/guard.ts'
import type { WebhookDeliveryTable, WebhookTable } from '../../../../database/schema/products/webhooks.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { type Event, eventsAfter, findEvents } from '../../../ground/events/listing.ts'
import { positionAt } from '../../../ground/events/order.ts'
import { bodyOfEvent } from '../body.ts'
import { logoutsAmong } from '../logout/logout.ts'
import * as store from './store.ts'

const EVENTS_AT_ONCE = 500
const DELIVERIES_AT_ONCE = 256
/** More deliveries than an endpoint accepts while outcomes are gathered. */
const REFILL_BELOW = 128
/** How far the stored position can fall behind if no event is for this endpoint. */
const UNWRITTEN_MILLISECONDS = 10_000

/** A delivery that can be sent. */
export interface Due {
  readonly delivery: WebhookDeliveryTable
  /** The user whose deliveries are sent one after the other. Events without a user can be sent in any order. */
  readonly user: string
  /** Null once the event is no longer stored. */
  readonly body: string | null
  readonly readAt: number
}

/** The lane belongs to another process now, because this one was paused for too long, or the endpoint is gone. */
export class LaneLost extends Error {
  override readonly name = 'LaneLost'
}

function laneLost(cause?: unknown): LaneLost {
  return new LaneLost('this process no longer has the lane', { cause })
}

/** The deliveries that wait for one endpoint: the next ones in memory, the rest in the store. */
export class Backlog {
  readonly #platform: Platform
  readonly #webhookId: string
  readonly #owner: string
  /** The position in the order, in this process; the stored one may be behind. */
  #position = 0
  #waiting: Due[] = []
  /** Deliveries in memory that are still due in the store. */
  readonly #known = new Set<string>()
  /** There may be more deliveries in the store. */
  isMore = true

  constructor(platform: Platform, webhookId: string, owner: string) {
    this.#platform = platform
    this.#webhookId = webhookId
    this.#owner = owner
  }

  get needsRefill(): boolean {
    return this.isMore && this.#waiting.length < REFILL_BELOW
  }

  /** The first delivery whose user has none under way. */
  take(busy: ReadonlySet<string>): Due | undefined {
    const i = this.#waiting.findIndex(({ user }) => !busy.has(user))
    return i < 0 ? undefined : this.#waiting.splice(i, 1)[0]
  }

  /** The same one comes first again. */
  putBack(due: Due): void {
    this.#waiting.unshift(due)
  }

  /** Deliveries behind a failed one wait in the store for its next try. */
  leaveToStore(user: string): void {
    for (const { delivery } of this.#waiting.filter((due) => due.user === user)) this.#known.delete(delivery.id)
    this.#waiting = this.#waiting.filter((due) => due.user !== user)
  }

  /** The outcomes of these deliveries are in the store. */
  noted(ids: readonly string[]): void {
    for (const id of ids) this.#known.delete(id)
  }

  /** Skips users whose failed delivery is not in the store yet. Throws `LaneLost`. */
  async refill(webhook: WebhookTable, postponed: ReadonlySet<string>): Promise<void> {
    const { meta, now } = this.#platform
    this.isMore = false
    const isMoreOfOrder = await this.#writeDeliveries(webhook)
    const limit = this.#known.size + DELIVERIES_AT_ONCE
    const due = await store.dueDeliveries(meta, this.#webhookId, now(), limit)
    const unknown = due.filter(({ id }) => !this.#known.has(id))
    const bodies = await this.#bodiesOf(unknown)
    const readAt = performance.now()
    for (const delivery of unknown) {
      const user = delivery.user_id ?? `delivery ${delivery.id}`
      if (postponed.has(user)) continue
      this.#known.add(delivery.id)
      this.#waiting.push({ delivery, user, body: bodies.get(delivery.event_id) ?? null, readAt })
    }
    if (isMoreOfOrder || due.length === limit) this.isMore = true
  }

  async #bodiesOf(deliveries: readonly WebhookDeliveryTable[]): Promise<ReadonlyMap<string, string>> {
    const ids = deliveries.map(({ event_id }) => event_id)
    const events = await findEvents(this.#platform.meta, ids)
    return new Map(events.map((event) => [event.id, bodyOfEvent(event)]))
  }

  /** Turns events into deliveries. True if there may be more than it has read. */
  async #writeDeliveries(webhook: WebhookTable): Promise<boolean> {
    const { meta } = this.#platform
    this.#position = Math.max(this.#position, webhook.position)
    const types = JSON.parse(webhook.types)
    const query = { after: String(this.#position), types, limit: EVENTS_AT_ONCE }
    const { items, next } = await eventsAfter(this.#platform, query)
    if (await this.#hasOtherTypes(webhook)) return true
    const position = Number(next)
    const { application_id } = webhook
    const { events, forget } = application_id
      ? await logoutsAmong(meta, application_id, items)
      : { events: items, forget: [] }
    if (events.length > 0 || position - webhook.position > positionAt(UNWRITTEN_MILLISECONDS)) {
      const rows = events.map((event) => this.#deliveryOf(event))
      const whileOurs = store.whileClaimed(meta, this.#webhookId, this.#owner, laneLost)
      await batchBehind(meta, whileOurs, [...store.insertDeliveries(meta, this.#webhookId, position, rows), ...forget])
      webhook.position = position
    }
    this.#position = position
    return items.length === EVENTS_AT_ONCE
  }

  /** Read after the events: what happens once other types have been saved is not among them. */
  async #hasOtherTypes(webhook: WebhookTable): Promise<boolean> {
    const saved = await store.claimedWebhook(this.#platform.meta, this.#webhookId, this.#owner)
    if (!saved) throw laneLost()
    if (saved.types === webhook.types) return false
    webhook.types = saved.types
    return true
  }

  #deliveryOf({ id: event_id, type, user_id, position }: Event): store.NewDelivery {
    const created_at = this.#platform.now()
    return { id: newId(), webhook_id: this.#webhookId, event_id, type, user_id, position, created_at }
  }
}
