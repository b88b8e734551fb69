import type { WebhookDeliveryTable, WebhookTable } from '../../../../database/schema/products/webhooks.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { newId } from '../../../../rules/ids.ts'
import { type Event, eventsAfter, findEvents } from '../../../ground/events/listing.ts'
import { positionAt } from '../../../ground/events/order.ts'
import { logoutsAmong } from '../logout/logout.ts'
import { bodyOfEvent } from '../sending/message.ts'
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

  /**
   * Skips users whose failed delivery is not in the store yet. Returns the endpoint's row, unless other types have been
   * saved. Throws `LaneLost`.
   */
  async refill(webhook: WebhookTable, postponed: ReadonlySet<string>): Promise<store.ClaimedWebhook | undefined> {
    this.isMore = false
    this.#position = Math.max(this.#position, webhook.position)
    const query = { after: String(this.#position), types: JSON.parse(webhook.types), limit: EVENTS_AT_ONCE }
    const readAt = performance.now()
    const { items, next } = await eventsAfter(this.#platform, query)
    const position = Number(next)
    const limit = this.#known.size + DELIVERIES_AT_ONCE
    const { lane, due } = await this.#write(webhook, items, position, limit)
    // The events that happened since other types were saved are not among these.
    if (lane.types !== webhook.types) {
      webhook.types = lane.types
      this.isMore = true
      return undefined
    }
    this.#position = position
    const unknown = due.filter(({ id }) => !this.#known.has(id))
    const bodies = await this.#bodiesOf(unknown, items)
    for (const delivery of unknown) {
      const user = delivery.user_id ?? `delivery ${delivery.id}`
      if (postponed.has(user)) continue
      this.#known.add(delivery.id)
      this.#waiting.push({ delivery, user, body: bodies.get(delivery.event_id) ?? null, readAt })
    }
    if (items.length === EVENTS_AT_ONCE || due.length === limit) this.isMore = true
    return lane
  }

  /** Turns events into deliveries, unless other types have been saved, and returns those that are due. */
  async #write(webhook: WebhookTable, items: readonly Event[], position: number, limit: number) {
    const { meta, now } = this.#platform
    const id = this.#webhookId
    const { events, forget } = await this.#wanted(webhook, items)
    const rows = events.map((event) => this.#deliveryOf(event))
    const isToWrite = rows.length > 0 || position - webhook.position > positionAt(UNWRITTEN_MILLISECONDS)
    const written = await meta.decide([store.lockedLane(meta, id, this.#owner)], async (decision, [lane]) => {
      if (!lane) throw new LaneLost('this process no longer has the lane')
      if (lane.types !== webhook.types) return { lane, due: [] }
      if (isToWrite) decision.write(...store.insertDeliveries(meta, id, position, rows), ...forget)
      const [due] = await decision.read([store.dueDeliveries(meta, { webhookId: id, now: now(), limit })])
      return { lane, due }
    })
    if (isToWrite && written.lane.types === webhook.types) webhook.position = position
    return written
  }

  #wanted({ application_id: id }: WebhookTable, items: readonly Event[]) {
    return id ? logoutsAmong(this.#platform.meta, id, items) : { events: items, forget: [] }
  }

  /** Most are about events that were just read. */
  async #bodiesOf(deliveries: readonly WebhookDeliveryTable[], read: readonly Event[]) {
    const events = new Map(read.map((event) => [event.id, event]))
    const others = deliveries.map(({ event_id }) => event_id).filter((id) => !events.has(id))
    for (const event of others.length > 0 ? await findEvents(this.#platform.meta, others) : [])
      events.set(event.id, event)
    return new Map([...events].map(([id, event]) => [id, bodyOfEvent(event)]))
  }

  #deliveryOf({ id: event_id, type, user_id, position }: Event): store.NewDelivery {
    const created_at = this.#platform.now()
    return { id: newId(), webhook_id: this.#webhookId, event_id, type, user_id, position, created_at }
  }
}
