import type { WebhookDeliveryTable, WebhookTable } from '../../../../database/schema/products/webhooks.ts'
import { signedHeaders } from '../../../../platform/endpoints/signature.ts'
import type { DeliveryOutcome, Transport } from '../../../../platform/endpoints/transport.ts'
import type { Platform } from '../../../../platform/platform.ts'
import { currentSpan } from '../../../../platform/traces/traces.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../../rules/time.ts'
import { logoutRequest, type Recipient } from '../logout/logout.ts'
import { bodyOf } from '../sending/message.ts'
import { lockedWebhook } from '../store.ts'
import type { Due } from './backlog.ts'
import * as outcomes from './outcomes-store.ts'
import * as store from './store.ts'

const FIRST_WAITS_MILLISECONDS = [5_000, 30_000, 2 * MINUTE_MILLISECONDS, 10 * MINUTE_MILLISECONDS]
const LATER_WAIT_MILLISECONDS = 15 * MINUTE_MILLISECONDS
/** One bad delivery among good ones is not an outage, and keeps its own waits. */
const OUTAGE_MILLISECONDS = MINUTE_MILLISECONDS
/** The last try comes before the endpoint is switched off, after three days without a success. */
const TRIED_FOR_MILLISECONDS = 3 * DAY_MILLISECONDS - LATER_WAIT_MILLISECONDS
/** The interval at which the endpoint's row records that it accepted something. */
const TAKEN_EVERY_MILLISECONDS = MINUTE_MILLISECONDS
/** An older body may contain data of a user who has been deleted since. */
const FRESH_MILLISECONDS = 5_000

/** A session at the application has expired by itself by then. */
const LOGOUTS_TRIED_FOR_MILLISECONDS = HOUR_MILLISECONDS

/** A product's endpoint for events, or an application's for back-channel logout. */
export type Endpoint =
  | { readonly url: string; readonly secrets: readonly string[]; readonly logout?: undefined }
  | { readonly url: string; readonly logout: Recipient }

/** A finished attempt. */
export interface Attempt {
  readonly due: Due
  readonly outcome: DeliveryOutcome
  readonly at: number
  /** Undefined if nothing more will be tried. */
  readonly next: number | undefined
  /** False if there was nothing to send any more. */
  readonly isSent: boolean
}

export async function deliver(
  platform: Platform,
  transport: Transport,
  endpoint: Endpoint,
  due: Due,
): Promise<Attempt> {
  const { delivery, readAt } = due
  const isFresh = performance.now() - readAt < FRESH_MILLISECONDS
  const body = isFresh ? due.body : await bodyOf(platform, delivery)
  if (body === null) return { due, outcome: GONE, at: platform.now(), next: undefined, isSent: false }
  const outcome = await send(platform, transport, endpoint, delivery.event_id, body)
  const at = platform.now()
  const next = outcome.isAccepted ? undefined : nextTry(endpoint, delivery, at)
  return { due, outcome, at, next, isSent: true }
}

export async function send(
  platform: Platform,
  transport: Transport,
  endpoint: Endpoint,
  id: string,
  body: string,
): Promise<DeliveryOutcome> {
  const request = endpoint.logout
    ? await logoutRequest(platform, endpoint.logout, body)
    : { headers: signedHeaders(endpoint.secrets, id, platform.now(), body), body }
  const what = { name: endpoint.logout ? 'logout' : 'webhook', kind: 'client' } as const
  return platform.traces.around(what, async () => {
    const headers = { ...request.headers, ...platform.traces.headers() }
    const outcome = await transport.send({ url: endpoint.url, body: request.body, headers }, platform.ending)
    currentSpan()?.set(shownOf(outcome))
    return outcome
  })
}

function shownOf({ status, error }: DeliveryOutcome) {
  return {
    ...(status !== null && { 'http.response.status_code': status }),
    ...(error !== null && { 'error.type': error }),
  }
}

const GONE: DeliveryOutcome = {
  isAccepted: false,
  status: null,
  answer: null,
  error: 'event_not_kept',
  milliseconds: 0,
}

/**
 * Records all attempts in one decision, and updates the given row of the endpoint. The first success after an outage
 * makes the others due. If one has failed, the endpoint is locked, as a deletion does first: the user's later
 * deliveries are written either before, and a noted failure puts them off, or after, and then find its next try.
 */
export async function noteAttempts(
  { meta, now }: Platform,
  webhook: WebhookTable,
  attempts: readonly Attempt[],
): Promise<'more is due' | undefined> {
  const failed = attempts.filter(({ next }) => next !== undefined)
  const state = noteOf(webhook, attempts, now())
  const { failing_since: since } = webhook
  const isOver = state?.failing_since === null && since !== null && now() - since >= OUTAGE_MILLISECONDS
  const needsLock = failed.length > 0 || state !== undefined
  await meta.decide(
    [
      needsLock ? lockedWebhook(meta, webhook.id) : undefined,
      isOver ? outcomes.bringForward(meta, webhook.id, now()) : undefined,
      ...outcomes.updateDeliveries(meta, attempts.map(rowOf)),
    ],
    async (decision, _webhook, _forward, ...updated) => {
      const noted = new Set(updated.flat().map(({ id }) => id))
      for (const { due, next = 0 } of failed)
        if (noted.has(due.delivery.id)) decision.write(...outcomes.deferLaterOfUser(meta, due.delivery, next))
      if (state !== undefined) decision.write(store.noteState(meta, webhook, state))
    },
  )
  Object.assign(webhook, state)
  return isOver ? 'more is due' : undefined
}

function noteOf(
  { failing_since, last_taken_at }: WebhookTable,
  attempts: readonly Attempt[],
  now: number,
): store.EndpointState | undefined {
  const hasAccepted = attempts.some(({ outcome }) => outcome.isAccepted)
  const isOutdated = failing_since !== null || now - (last_taken_at ?? 0) > TAKEN_EVERY_MILLISECONDS
  if (hasAccepted) return isOutdated ? { failing_since: null, last_taken_at: now } : undefined
  return failing_since === null && attempts.some(({ isSent }) => isSent) ? { failing_since: now } : undefined
}

function rowOf({ due: { delivery }, outcome, at, next }: Attempt): outcomes.Row {
  const { id, tries, begun_at } = delivery
  return { id, tries, begun_at, ...columnsOf(outcome, next, at) }
}

export function columnsOf(outcome: DeliveryOutcome, next: number | undefined, at: number) {
  const { isAccepted, status, answer, error, milliseconds } = outcome
  const state: WebhookDeliveryTable['state'] = isAccepted ? 'delivered' : next === undefined ? 'failed' : 'pending'
  return { state, next_attempt_at: next ?? 0, last_attempt_at: at, status, answer, error, milliseconds }
}

/** Undefined once the delivery has been tried for three days, or a logout for an hour. */
function nextTry({ logout }: Endpoint, { tries, begun_at }: WebhookDeliveryTable, now: number): number | undefined {
  const next = now + (FIRST_WAITS_MILLISECONDS[tries] ?? LATER_WAIT_MILLISECONDS)
  const triedFor = logout ? LOGOUTS_TRIED_FOR_MILLISECONDS : TRIED_FOR_MILLISECONDS
  return next <= begun_at + triedFor ? next : undefined
}
