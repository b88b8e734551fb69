import { isDeepStrictEqual } from 'node:util'
import type { WebhookTable } from '../../../database/schema/products/webhooks.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Act } from '../../ground/acts/acts.ts'
import {
  type Difference,
  differenceOf,
  type Planned,
  type Rest,
  refused,
  refusedBelow,
  refuseRepeated,
} from '../../ground/settings/as-code/section.ts'
import type { WebhookOfFile } from './input.ts'
import { maskedUrl } from './masked-url.ts'
import { MOST_WEBHOOKS, NO_ROOM, newWebhook, writeChanges, writeCreation, writeDeletion } from './rows.ts'
import * as store from './store.ts'
import { refuseUnreachable } from './webhooks.ts'

type Stored = Pick<WebhookTable, 'id' | 'key' | 'url' | 'types'>

export function storedWebhooks(meta: Meta) {
  return { lock: store.lockWebhooks(meta), read: store.webhooksToCompare(meta) }
}

/** Those without a key are in no file. */
export function webhooksAsFile(rows: readonly Stored[]): readonly WebhookOfFile[] {
  return rows.flatMap(({ key, url, types }) => (key === null ? [] : [{ key, url, types: JSON.parse(types) }]))
}

interface File {
  readonly rows: readonly Stored[]
  /** Undefined if the file has no such section. */
  readonly entries: readonly WebhookOfFile[] | undefined
  readonly rest: Rest
}

/** What is done to one webhook. */
interface Step {
  readonly differences: readonly Difference[]
  readonly made?: readonly [key: string, secret: string]
  write(act: Act): void
}

export function planWebhooks(platform: Platform, { rows, entries, rest }: File): Planned {
  const keys = (entries ?? []).map(({ key }) => key)
  refuseRepeated('webhooks', keys)
  const stored = new Map(rows.map((row) => [row.key, row]))
  const steps = (entries ?? []).map((entry) => stepTo(platform, entry, stored.get(entry.key)))
  const made = steps.flatMap((step) => (step.made ? [step.made] : []))
  const pruned = rest === 'pruned' && entries ? rows.filter(({ key }) => key !== null && !keys.includes(key)) : []
  if (rows.length + made.length - pruned.length > MOST_WEBHOOKS) throw refused('webhooks', NO_ROOM)
  return {
    differences: [
      ...steps.flatMap(({ differences }) => differences),
      ...pruned.map(({ key }) => ({ path: `webhooks.${key}`, words: 'is removed' })),
    ],
    secrets: Object.fromEntries(made),
    write(act) {
      for (const row of pruned) writeDeletion(act, platform, row)
      for (const step of steps) step.write(act)
    },
  }
}

function stepTo(platform: Platform, { key, url, types }: WebhookOfFile, row: Stored | undefined): Step {
  const path = `webhooks.${key}`
  if (url !== undefined && url !== row?.url) refusedBelow(path, () => refuseUnreachable(platform, url))
  if (row) return changeTo(platform, path, { url, types }, row)
  if (url === undefined) throw refused(`${path}.url`, 'is missing: it is needed for a new webhook.')
  const made = newWebhook(platform, { key, url, types: types ?? [], enabled: true })
  return {
    differences: [{ path, words: 'is added, and gets a secret' }],
    made: [key, made.secret],
    write: (act) => writeCreation(act, platform, made),
  }
}

function changeTo(platform: Platform, path: string, { url, types }: Omit<WebhookOfFile, 'key'>, row: Stored): Step {
  const now = JSON.parse(row.types)
  const isElsewhere = url !== undefined && url !== row.url
  const hasOtherTypes = types !== undefined && !isDeepStrictEqual(types, now)
  const changes = { ...(isElsewhere && { url }), ...(hasOtherTypes && { types }) }
  return {
    differences: [
      ...(isElsewhere ? [differenceOf(`${path}.url`, maskedUrl(row.url), maskedUrl(url))] : []),
      ...(hasOtherTypes ? [differenceOf(`${path}.types`, now, types)] : []),
    ],
    write(act) {
      if (isElsewhere || hasOtherTypes) writeChanges(act, platform, row.id, changes)
    },
  }
}
