import { unlessUnavailable } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import * as store from './store.ts'

/** Measures the events that have no place in the order yet. */
export function observeEvents(platform: Platform): void {
  const { metrics, now, versioned } = platform
  const read = () => versioned.share('waiting events', () => waitingEvents(platform))
  metrics.gauge('events_waiting', async () => (await read()).waiting)
  metrics.gauge('events_oldest_seconds', async () => {
    const { oldest } = await read()
    return oldest === null ? 0 : Math.max(0, now() - oldest) / 1000
  })
}

/** Leaves out events of a shard that is down. */
async function waitingEvents({ meta, shards }: Platform): Promise<store.UnplacedEvents> {
  const ofShards = [...shards.values()].map((shard) => store.waitingIn(shard).catch(unlessUnavailable))
  const counts = await Promise.all([store.waitingEvents(meta), ...ofShards])
  const known = counts.filter((count) => count !== undefined)
  const oldest = known.flatMap((count) => (count.oldest === null ? [] : [count.oldest]))
  return {
    waiting: known.reduce((sum, { waiting }) => sum + waiting, 0),
    oldest: oldest.length === 0 ? null : Math.min(...oldest),
  }
}
