import { observeMailQueue } from './features/delivery/mail/queue.ts'
import { observeVerifiers } from './features/delivery/revocations/receipts/receipts.ts'
import { observeWebhooks } from './features/delivery/webhooks/waiting.ts'
import { observeEvents } from './features/ground/events/waiting.ts'
import { observeBackups } from './features/ground/health/backups.ts'
import { observeHealth } from './features/ground/health/health.ts'
import { observeHooks } from './features/ground/hooks/asking.ts'
import { observeChanges } from './features/ground/settings/last-changes.ts'
import { observeStores } from './platform/metrics/store-metrics.ts'
import type { Platform } from './platform/platform.ts'

/** Sources of the gauges in `/metrics`, read when it is requested. */
export function observe(platform: Platform): void {
  observeStores(platform)
  observeHealth(platform)
  observeBackups(platform)
  observeChanges(platform)
  observeHooks(platform)
  observeMailQueue(platform)
  observeEvents(platform)
  observeWebhooks(platform)
  observeVerifiers(platform)
}
