import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import type { Server } from '../../server.ts'

const KEYED = ['application', 'webhook']

/** SQL that takes a step of the global store back, by the step's name. Only the newest step needs it. */
const UNDO: Readonly<Record<string, Readonly<Record<Engine, readonly string[]>>>> = {
  '0013-keys-of-settings': {
    SQLite: KEYED.flatMap((table) => [`drop index ${table}_key`, `alter table ${table} drop column key`]),
    PostgreSQL: KEYED.map((table) => `alter table ${table} drop column key`),
  },
}

export type Engine = 'SQLite' | 'PostgreSQL'

/**
 * SQL that returns a store to the version before; none while the baseline is the only step. Undefined if `UNDO` lacks
 * the newest step.
 */
export function versionBefore(engine: Engine): readonly string[] | undefined {
  const [, ...later] = metaMigrations
  const newest = later.at(-1)
  if (!newest) return []
  const undo = UNDO[newest.name]?.[engine]
  return undo && [...undo, `delete from schema_migration where name = '${newest.name}'`]
}

/** The time from the start of the new version until it is ready, which includes the step. */
export async function secondsUntilReady(start: () => Promise<Server>): Promise<number> {
  const started = performance.now()
  await using _server = await start()
  return Math.round(performance.now() - started) / 1000
}
