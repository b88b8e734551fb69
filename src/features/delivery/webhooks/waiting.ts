import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import * as store from './store.ts'

/** The deliveries waiting for each endpoint that is switched on. */
export function observeWebhooks({ meta, metrics, now, versioned }: Platform): void {
  const read = () => versioned.share('waiting deliveries', () => store.waitingDeliveries(meta))
  metrics.gauges('webhook_waiting', ['webhook'], async () =>
    (await read()).map(({ id: webhook, waiting }) => [{ webhook }, waiting] as const),
  )
  metrics.gauges('webhook_oldest_seconds', ['webhook'], async () =>
    (await read()).map(({ id: webhook, oldest }) => {
      const seconds = oldest === null ? 0 : Math.max(0, now() - oldest) / 1000
      return [{ webhook }, seconds] as const
    }),
  )
}

export async function countWaitingDeliveries(meta: Meta): Promise<number> {
  const ofEach = await store.waitingDeliveries(meta)
  return ofEach.reduce((sum, { waiting }) => sum + waiting, 0)
}
