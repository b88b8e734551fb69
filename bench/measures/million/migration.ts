import { metaMigrations } from '../../../src/database/migrations/meta.ts'
import type { Server } from '../../server.ts'

const DROPPED = ['drop table email_change']

/** SQL that takes a step of the global store back, by the step's name. Only the newest step needs it. */
const UNDO: Readonly<Record<string, Readonly<Record<Engine, readonly string[]>>>> = {
  '0026-email-changes': { SQLite: DROPPED, PostgreSQL: DROPPED },
}

export type Engine = 'SQLite' | 'PostgreSQL'

/** SQL that returns a store to the version before. */
export function versionBefore(engine: Engine): readonly string[] {
  const newest = metaMigrations.at(-1)?.name ?? ''
  const undo = UNDO[newest]?.[engine]
  if (!undo) throw new Error(`say in UNDO how ${newest} is taken back`)
  return [...undo, `delete from schema_migration where name = '${newest}'`]
}

/** The time from the start of the new version until it is ready, which includes the step. */
export async function secondsUntilReady(start: () => Promise<Server>): Promise<number> {
  const started = performance.now()
  await using _server = await start()
  return Math.round(performance.now() - started) / 1000
}
