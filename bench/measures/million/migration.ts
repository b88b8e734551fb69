import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import type { Server } from '../../server.ts'

/** The newest step of the global store, and how to take it back. */
const NEWEST = '0040-search'
const UNDO = [
  'drop table saved_view',
  'drop index user_last_sign_in',
  'drop index user_state',
  'alter table "user" drop column folded_name',
  'alter table "user" drop column last_sign_in_at',
  `delete from schema_migration where name = '${NEWEST}'`,
]

/** SQL that leaves a store as the version before would have it; undefined if the newest step is another one. */
export function versionBefore(): readonly string[] | undefined {
  return metaMigrations.at(-1)?.name === NEWEST ? UNDO : undefined
}

/** From the start of the new version until it is ready, which includes the step. */
export async function secondsUntilReady(start: () => Promise<Server>): Promise<number> {
  const started = performance.now()
  await using _server = await start()
  return Math.round(performance.now() - started) / 1000
}
