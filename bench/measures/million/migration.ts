import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import type { Server } from '../../server.ts'

/** The newest step of the global store, and how to take it back. */
const NEWEST = {
  name: '0023-passkeys-alone',
  undo: ['alter table passkey drop column is_user_verified'],
}

/** SQL that leaves a store as the version before would have it; undefined if the newest step is another one. */
export function versionBefore(): readonly string[] | undefined {
  const { name, undo } = NEWEST
  if (metaMigrations.at(-1)?.name !== name) return undefined
  return [...undo, `delete from schema_migration where name = '${name}'`]
}

/** From the start of the new version until it is ready, which includes the step. */
export async function secondsUntilReady(start: () => Promise<Server>): Promise<number> {
  const started = performance.now()
  await using _server = await start()
  return Math.round(performance.now() - started) / 1000
}
