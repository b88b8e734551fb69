import { StoreReadOnly } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { within } from '../../../rules/time.ts'

const PATIENCE_MILLISECONDS = 2_000

export const STATES = ['up', 'read-only', 'degraded', 'down'] as const
export type State = (typeof STATES)[number]

/** Checks each store, the key-value store and the list of stolen passwords at the same time; no response in time counts as down. */
export async function storeStates(platform: Platform): Promise<Record<string, State>> {
  const stores = [['meta', platform.meta] as const, ...platform.shards, ['key-value', platform.keyValue] as const]
  const [breaches, ...states] = await Promise.all([
    platform.breaches.state(),
    ...stores.map(async ([name, store]) => [name, await stateOf(() => store.ping())] as const),
  ])
  return { ...Object.fromEntries(states), ...(breaches && { 'breach-list': breaches }) }
}

async function stateOf(ping: () => Promise<void>): Promise<State> {
  const answered = ping().then(
    (): State => 'up',
    (error: unknown): State => (error instanceof StoreReadOnly ? 'read-only' : 'down'),
  )
  return (await within(PATIENCE_MILLISECONDS, answered)) ?? 'down'
}

/** The state of each part, and the time since which it has had it. */
export function observeHealth(platform: Platform): void {
  const { metrics, now } = platform
  const changes = new Map<string, { readonly state: State; readonly at: number }>()
  let reading: Promise<Record<string, State>> | undefined
  const states = async () => {
    // One reading for both gauges, which are collected at the same time.
    reading ??= storeStates(platform).finally(() => {
      reading = undefined
    })
    const found = Object.entries(await reading)
    for (const [store, state] of found)
      if (changes.get(store)?.state !== state) changes.set(store, { state, at: now() })
    return found
  }
  metrics.gauges('store_up', ['store'], async () =>
    (await states()).map(([store, state]) => [{ store }, Number(state === 'up')] as const),
  )
  metrics.gauges('store_state_seconds', ['store'], async () =>
    (await states()).map(([store]) => [{ store }, (now() - (changes.get(store)?.at ?? now())) / 1000] as const),
  )
}

export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
}
