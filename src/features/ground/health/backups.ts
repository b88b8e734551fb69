import { findKept, replaceKept } from '../../../database/instance.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { archiver } from './statements.ts'

const COMPLETED_AT = 'backup-completed-at'

/** Notes that `gatehouse backup`, a process of its own, has completed a backup. */
export async function noteBackup(meta: Meta, at: number): Promise<void> {
  await replaceKept(meta, COMPLETED_AT, String(at)).execute()
}

export function observeBackups({ meta, shards, metrics }: Platform): void {
  // Without a backup the metric is 0, so the alert fires as it does for a very old one.
  metrics.gauge('backup_last_success_timestamp_seconds', async () => {
    const at = await findKept(meta.primary, COMPLETED_AT)
    return Math.round(Number(at ?? 0) / 1000)
  })
  const servers = [meta, ...shards.values()].filter((store) => store.connections() !== undefined)
  const ofEach = (column: 'archived_at' | 'failed_at') => async () => {
    const found = await Promise.all(servers.map(async (store) => [store.name, await archiver(store.primary)] as const))
    const archiving = found.filter(([, state]) => state !== undefined && state.mode !== 'off')
    return archiving.map(([store, state]) => [{ store }, Math.round((state?.[column] ?? 0) / 1000)] as const)
  }
  metrics.gauges('archive_last_success_timestamp_seconds', ['store'], ofEach('archived_at'))
  metrics.gauges('archive_last_failure_timestamp_seconds', ['store'], ofEach('failed_at'))
}
