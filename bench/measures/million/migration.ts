import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import type { Server } from '../../server.ts'

/** By the name of a step of the global store: SQL that takes it back. Only the newest step needs it. */
const UNDO: Readonly<Record<string, readonly string[]>> = {
  '0002-token-exchange': [
    'drop index access_token_subject',
    'drop index access_token_actor',
    ...['subject_hash', 'actor_id', 'act'].map((name) => `alter table access_token drop column ${name}`),
    'alter table grant_act drop column actor_id',
  ],
}

/**
 * SQL that leaves a store as the version before would have it; none while the baseline is the only step. Undefined if
 * nobody has said how the newest step is taken back.
 */
export function versionBefore(): readonly string[] | undefined {
  const [, ...later] = metaMigrations
  const newest = later.at(-1)
  if (!newest) return []
  const undo = UNDO[newest.name]
  return undo && [...undo, `delete from schema_migration where name = '${newest.name}'`]
}

/** From the start of the new version until it is ready, which includes the step. */
export async function secondsUntilReady(start: () => Promise<Server>): Promise<number> {
  const started = performance.now()
  await using _server = await start()
  return Math.round(performance.now() - started) / 1000
}
