import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import type { Server } from '../../server.ts'

/** The newest steps of the global store, and how to take them back. */
const NEWEST = [
  ...['0024-event-counts', '0025-user-counts', '0026-counts-filled'],
  ...['0027-notification-counts', '0028-notification-counts-filled'],
]
const TRIGGERS = ['event', 'user', 'notifications'].flatMap((table) =>
  ['counted', 'uncounted', 'recounted'].map((name) => `${table}_${name}`),
)
const UNDO = {
  SQLite: TRIGGERS.map((name) => `drop trigger ${name}`),
  PostgreSQL: TRIGGERS.map((name) => `drop function ${name} cascade`),
}

/** SQL that leaves a store as the version before would have it; undefined if the newest step is another one. */
export function versionBefore(engine: keyof typeof UNDO): readonly string[] | undefined {
  if (metaMigrations.at(-1)?.name !== NEWEST.at(-1)) return undefined
  const names = NEWEST.map((name) => `'${name}'`).join(', ')
  return [...UNDO[engine], 'drop table row_counts', `delete from schema_migration where name in (${names})`]
}

/** From the start of the new version until it is ready, which includes the step. */
export async function secondsUntilReady(start: () => Promise<Server>): Promise<number> {
  const started = performance.now()
  await using _server = await start()
  return Math.round(performance.now() - started) / 1000
}
