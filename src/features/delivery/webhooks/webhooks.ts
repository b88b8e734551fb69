import { overtakenIfTaken, untilNotOvertaken } from '../../../database/overtaken.ts'
import type { WebhookTable } from '../../../database/schema/products/webhooks.ts'
import type { Platform } from '../../../platform/platform.ts'
import { AddressRefused, addressesOutside } from '../../../platform/public-addresses.ts'
import { type Page, pageOf } from '../../../rules/paging.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { DAY_MILLISECONDS } from '../../../rules/time.ts'
import { type Doer, decide } from '../../ground/acts/acts.ts'
import type { CreateWebhook, UpdateWebhook } from './input.ts'
import { MOST_WEBHOOKS, NO_ROOM, newWebhook, writeChanges, writeCreation, writeDeletion } from './rows.ts'
import { canSign, newSecret } from './sending/message.ts'
import * as store from './store.ts'

export const WEBHOOKS_JOB = 'webhooks'

/** The secret is shown here and never again. */
export function createWebhook(doer: Doer, input: CreateWebhook) {
  const { platform } = doer
  const { meta } = platform
  refuseUnreachable(platform, input.url)
  const made = newWebhook(platform, input)
  const read = [store.lockWebhooks(meta), store.countWebhooks(meta)] as const
  return untilNotOvertaken(meta, async () => {
    await refuseTakenKey(meta, input.key)
    await decide(doer, read, async (act, _, [counted]) => {
      if (!counted || counted.webhooks >= MOST_WEBHOOKS) throw new Refusal('INVALID_REQUEST', NO_ROOM)
      writeCreation(act, platform, made)
    }).catch(overtakenIfTaken)
    return { id: made.row.id, secret: made.secret }
  })
}

/** A webhook that is enabled again continues where it stopped. */
export async function updateWebhook(doer: Doer, { id, ...changes }: UpdateWebhook) {
  const { platform } = doer
  const { meta, now } = platform
  const { key, url } = changes
  if (url !== undefined) refuseUnreachable(platform, url)
  const updated = await untilNotOvertaken(meta, async () => {
    await refuseTakenKey(meta, key, id)
    return decide(doer, [store.lockedWebhook(meta, id)], async (act, [held]) => {
      if (held?.application_id !== null) return refuseUnknown()
      if (key !== undefined && held.key !== null && held.key !== key)
        throw invalidInput('key', 'A key is set once. Leave it out.')
      return { ...held, ...writeChanges(act, platform, id, changes) }
    }).catch(overtakenIfTaken)
  })
  platform.background.wake(WEBHOOKS_JOB)
  return wireWebhook(updated, now())
}

async function refuseTakenKey(meta: Platform['meta'], key: string | undefined, id?: string): Promise<void> {
  const owner = key === undefined ? undefined : await store.findByKey(meta, key)
  if (owner && owner.id !== id) throw invalidInput('key', 'Another webhook has this key.')
}

export async function deleteWebhook(doer: Doer, id: string): Promise<void> {
  const { meta } = doer.platform
  await decide(doer, [store.lockedWebhook(meta, id)], async (act, [held]) => {
    if (held?.application_id !== null) return refuseUnknown()
    writeDeletion(act, doer.platform, held)
  })
}

export async function listWebhooks({ meta, now }: Platform, page: Page) {
  const rows = await store.allWebhooks(meta)
  return pageOf(
    rows.map((row) => wireWebhook(row, now())),
    page,
  )
}

/** The former secret signs beside the new one for a day. */
export async function rotateWebhookSecret(doer: Doer, id: string) {
  const { platform } = doer
  const { meta, secretBox, now } = platform
  const { secret, sealed } = newSecret(secretBox)
  // If two rotations meet, the second keeps the first one's secret as the previous one.
  await decide(doer, [store.lockedWebhook(meta, id)], async (act, [held]) => {
    if (held?.application_id !== null) return refuseUnknown()
    const former = { former_sealed: held.sealed, former_until: now() + DAY_MILLISECONDS }
    act.write(store.updateWebhookRow(meta, id, { sealed, ...former, updated_at: now() }))
    act.record('webhook.rotate_secret', { subject: { type: 'webhook', id } })
  })
  platform.background.wake(WEBHOOKS_JOB)
  return { id, secret }
}

/** The addresses of these webhooks. */
export async function namesOfWebhooks(meta: Platform['meta'], ids: readonly string[]) {
  const rows = await store.allWebhooks(meta)
  return new Map(rows.flatMap(({ id, url }) => (ids.includes(id) ? [[id, url] as const] : [])))
}

export async function getWebhook(meta: Platform['meta'], id: string): Promise<WebhookTable> {
  return (await store.findWebhook(meta, id)) ?? refuseUnknown()
}

/** Webhooks whose secret was sealed under another key, so nothing can be signed for them. */
export async function countClosedWebhooks({ meta, secretBox }: Pick<Platform, 'meta' | 'secretBox'>): Promise<number> {
  const rows = await store.allWebhooks(meta)
  return rows.filter((row) => !canSign(secretBox, row)).length
}

/** Addresses of webhooks and of applications that are known to be refused, so that nothing is sent to them. */
export async function countRefusedAddresses({ config, meta }: Pick<Platform, 'config' | 'meta'>): Promise<number> {
  const addresses = addressesOutside(config.webhookNetworks)
  const rows = await store.addressesInUse(meta)
  return rows.filter(({ url }) => addresses.isKnownRefused(new URL(url))).length
}

function wireWebhook(row: WebhookTable, now: number) {
  const { former_until: until } = row
  return {
    id: row.id,
    key: row.key,
    url: row.url,
    types: JSON.parse(row.types),
    enabled: row.enabled === 1,
    created_at: row.created_at,
    updated_at: row.updated_at,
    last_taken_at: row.last_taken_at,
    failing_since: row.failing_since,
    switched_off_at: row.switched_off_at,
    former_secret_until: until !== null && until > now ? until : null,
  }
}

/** Checks what is known without a look-up; what a name resolves to is checked at each connection. */
export function refuseUnreachable({ config }: Platform, url: string, path = 'url'): void {
  try {
    addressesOutside(config.webhookNetworks).refuseKnown(new URL(url))
  } catch (cause) {
    if (!(cause instanceof AddressRefused)) throw cause
    const { message } = cause
    throw new Refusal('INVALID_REQUEST', message, { cause, issues: [{ path, message }] })
  }
}

export function refuseUnknown(): never {
  throw new Refusal('NOT_FOUND', 'This webhook does not exist.')
}
