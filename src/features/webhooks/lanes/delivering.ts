import type { WebhookDeliveryTable, WebhookTable } from '../../../database/schema/webhooks.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DAY_MILLISECONDS, HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { bodyOf } from '../body.ts'
import type { Outcome, Sender } from '../sending/send.ts'
import { signedHeaders } from '../sending/signing.ts'
import { secretsOf } from '../webhooks.ts'
import * as store from './store.ts'

const FIRST_WAITS_MILLISECONDS = [
  5_000,
  30_000,
  2 * MINUTE_MILLISECONDS,
  10 * MINUTE_MILLISECONDS,
  HOUR_MILLISECONDS,
]
const LATER_WAIT_MILLISECONDS = 6 * HOUR_MILLISECONDS
const TRIED_FOR_MILLISECONDS = 3 * DAY_MILLISECONDS
/** How exactly the row of the endpoint says when it last took something. */
const TAKEN_EVERY_MILLISECONDS = MINUTE_MILLISECONDS

/** True if the endpoint took it, or nothing more will be tried. */
export async function deliver(
  platform: Platform,
  sender: Sender,
  webhook: WebhookTable,
  delivery: WebhookDeliveryTable,
): Promise<boolean> {
  const { meta, now } = platform
  const body = await bodyOf(platform, delivery)
  const outcome = body === null ? GONE : await send(platform, sender, webhook, delivery.event_id, body)
  if (outcome.isTaken) {
    await meta.batch([
      store.noteAttempt(meta, delivery.id, attempted(outcome, 'delivered', now(), 0)),
      ...(isToNote(webhook, now()) ? [store.noteTaken(meta, webhook.id, now())] : []),
    ])
    return true
  }
  const next = body === null ? undefined : nextAttempt(delivery, now())
  const state = next === undefined ? 'failed' : 'pending'
  await meta.batch([
    store.noteAttempt(meta, delivery.id, attempted(outcome, state, now(), next ?? 0)),
    ...(next === undefined ? [] : [store.deferBehind(meta, delivery, next)]),
    ...(body === null ? [] : [store.noteFailing(meta, webhook.id, now())]),
  ])
  return next === undefined
}

export function send(
  platform: Platform,
  sender: Sender,
  webhook: WebhookTable,
  id: string,
  body: string,
): Promise<Outcome> {
  const headers = signedHeaders(secretsOf(platform, webhook), id, platform.now(), body)
  return sender.send({ url: webhook.url, headers, body }, platform.ending)
}

const GONE: Outcome = {
  isTaken: false,
  status: null,
  answer: null,
  error: 'The event is no longer kept.',
  milliseconds: 0,
}

export function attempted(
  { status, answer, error, milliseconds }: Outcome,
  state: WebhookDeliveryTable['state'],
  now: number,
  next: number,
): store.Attempted {
  return { state, next_attempt_at: next, last_attempt_at: now, status, answer, error, milliseconds }
}

function isToNote({ failing_since, last_taken_at }: WebhookTable, now: number): boolean {
  return failing_since !== null || now - (last_taken_at ?? 0) > TAKEN_EVERY_MILLISECONDS
}

/** Undefined once it was tried for three days. */
function nextAttempt({ tries, begun_at }: WebhookDeliveryTable, now: number): number | undefined {
  const next = now + (FIRST_WAITS_MILLISECONDS[tries] ?? LATER_WAIT_MILLISECONDS)
  return next <= begun_at + TRIED_FOR_MILLISECONDS ? next : undefined
}
