import pg from 'pg'
import type { Config } from '../../src/config/config.ts'
import { PostgresEngine } from '../../src/database/postgres/engine.ts'
import type { MetaTables, ShardTables } from '../../src/database/schema/tables.ts'
import { Store } from '../../src/database/store.ts'
import { openConnections, patient } from '../postgres/held-user.ts'
import { started, untilWaiting } from '../postgres/waiting-acts.ts'
import type { Act, Outcome } from './acts.ts'
import { HELD_BY, HoldingEngine } from './engines/holding-engine.ts'
import { NumberedAct } from './engines/numbered-act.ts'
import { openStage, type Stage } from './stage.ts'

/** A stage on a PostgreSQL server, where one act can be stopped while it holds its locks. */
export interface HoldingStage extends Stage {
  /** Starts the second act while the first holds what its commit of this number, counted from 1, has locked. */
  whileHeld(commit: number, first: Act, second: Act): Promise<readonly [Outcome, Outcome]>
  /** The number of commits of the act if nothing else happens. */
  commitsOf(act: Act): Promise<number>
  forgetLimits(): Promise<void>
}

const CONNECTIONS = 4

export async function openHoldingStage(server: string): Promise<HoldingStage> {
  await using opening = new AsyncDisposableStack()
  const numbered = new NumberedAct()
  const engine = (name: string, url: string) =>
    new HoldingEngine(new PostgresEngine(name, { url: patient(url) }), numbered)
  const open = async ({ databaseUrl = '', shards }: Config) => ({
    meta: new Store<MetaTables>(engine('meta', databaseUrl)),
    shards: new Map(shards.map(({ id, url }) => [id, new Store<ShardTables>(engine(id, url))])),
  })
  const stage = opening.use(await openStage({ server, open }))
  const { config, platform } = stage.service
  const url = config.databaseUrl ?? ''
  for (const store of [platform.meta, ...platform.shards.values()]) await openConnections(store, url, CONNECTIONS)
  const holder = new pg.Client(url)
  await holder.connect()
  opening.defer(() => holder.end())

  async function whileHeld(commit: number, first: Act, second: Act) {
    await holder.query('select pg_advisory_lock($1)', [HELD_BY])
    const held = started(numbered.run(commit, first))
    try {
      await untilWaiting(holder, 1, held)
      if (held.isOver()) throw new Error(`there was no commit ${commit}: ${await held.end}`)
      const other = started(second())
      await untilWaiting(holder, 2, other)
      await holder.query('select pg_advisory_unlock($1)', [HELD_BY])
      return [await held.end, await other.end] as const
    } finally {
      await holder.query('select pg_advisory_unlock_all()')
    }
  }

  async function commitsOf(act: Act): Promise<number> {
    await numbered.run(0, act)
    return numbered.sent
  }

  const opened = opening.move()
  return {
    ...stage,
    whileHeld,
    commitsOf,
    forgetLimits: async () => void (await holder.query('delete from key_value')),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
