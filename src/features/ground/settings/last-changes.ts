import { newestMigrationAt } from '../../../database/migrations/migrate.ts'
import type { Platform } from '../../../platform/platform.ts'
import * as store from './store.ts'

/** Measures when the settings and the schema last changed. `build_info` and the process's start show the rest. */
export function observeChanges({ meta, metrics }: Platform): void {
  metrics.gauges('changed_timestamp_seconds', ['what'], async () => {
    const [settings, schema] = await Promise.all([store.savedAt(meta), newestMigrationAt(meta)])
    return Object.entries({ settings, schema }).map(([what, at]) => [{ what }, Math.round(at / 1000)] as const)
  })
}
