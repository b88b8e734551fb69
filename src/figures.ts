import { observeEvents } from './features/events/waiting.ts'
import { observeHealth } from './features/health/health.ts'
import { observeMailQueue } from './features/mail/queue.ts'
import { observeWebhooks } from './features/webhooks/waiting.ts'
import { observeStores } from './platform/metrics/store-metrics.ts'
import type { Platform } from './platform/platform.ts'

/** What `/metrics` reads when it is requested. */
export function observe(platform: Platform): void {
  observeStores(platform)
  observeHealth(platform)
  observeMailQueue(platform)
  observeEvents(platform)
  observeWebhooks(platform)
}
