import type { WebhookTable } from '../../../database/schema/products/webhooks.ts'
import type { Platform } from '../../../platform/platform.ts'
import { given } from '../../../rules/given.ts'
import { newId } from '../../../rules/ids.ts'
import type { Act } from '../../ground/acts/acts.ts'
import type { CreateWebhook, UpdateWebhook } from './input.ts'
import { maskedUrl } from './masked-url.ts'
import { newSecret } from './sending/message.ts'
import * as store from './store.ts'

// What the routes and a file of settings both do to a webhook, once it is known that they may.

export const MOST_WEBHOOKS = 100
export const NO_ROOM = `There can be at most ${MOST_WEBHOOKS} webhooks.`

/** The secret is known here only: the row has it sealed. */
export function newWebhook({ secretBox, now }: Platform, { key = null, url, types, enabled }: Made) {
  const { secret, sealed } = newSecret(secretBox)
  const row: Omit<WebhookTable, 'position'> = {
    ...{ id: newId(), key, application_id: null, url, types: JSON.stringify(types), enabled: enabled ? 1 : 0 },
    ...{ sealed, former_sealed: null, former_until: null },
    ...{ created_at: now(), updated_at: now() },
    ...{ failing_since: null, last_taken_at: null, switched_off_at: null },
    ...{ claimed_by: '', claimed_until: 0 },
  }
  return { row, secret, details: { ...given({ key: key ?? undefined }), url: maskedUrl(url), types, enabled } }
}

type Made = Omit<CreateWebhook, 'key'> & { readonly key?: string | null | undefined }

export function writeCreation(
  act: Act,
  { meta }: Platform,
  { row, details }: Omit<ReturnType<typeof newWebhook>, 'secret'>,
): void {
  act.write(store.insertWebhook(meta, row))
  act.record('webhook.create', { subject: { type: 'webhook', id: row.id }, details })
}

type Changes = Omit<UpdateWebhook, 'id'>

/** Returns the columns that it writes. */
export function writeChanges(act: Act, { meta, now }: Platform, id: string, changes: Changes) {
  const { key, url, types, enabled } = changes
  const columns = {
    ...given({ key, url, types: types && JSON.stringify(types) }),
    ...(enabled !== undefined && ({ enabled: enabled ? 1 : 0 } as const)),
    ...(enabled === true && { failing_since: null, switched_off_at: null }),
    updated_at: now(),
  }
  act.write(store.updateWebhookRow(meta, id, columns))
  const details = { ...changes, ...(url !== undefined && { url: maskedUrl(url) }) }
  act.record('webhook.update', { subject: { type: 'webhook', id }, details })
  return columns
}

export function writeDeletion(act: Act, { meta }: Platform, { id, url }: Pick<WebhookTable, 'id' | 'url'>): void {
  act.write(store.deleteWebhookRow(meta, id))
  act.record('webhook.delete', { subject: { type: 'webhook', id }, details: { url: maskedUrl(url) } })
}
