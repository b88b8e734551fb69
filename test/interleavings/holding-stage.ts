import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Config } from '../../src/config/config.ts'
import { PostgresEngine } from '../../src/database/postgres/engine.ts'
import type { MetaTables, ShardTables } from '../../src/database/schema/tables.ts'
import { Store } from '../../src/database/store.ts'
import { openConnections, patient } from '../postgres/held-user.ts'
import type { Act, Outcome } from './acts.ts'
import { HELD_BY, HoldingEngine } from './engines/holding-engine.ts'
import { NumberedAct } from './engines/numbered-act.ts'
import { openStage, type Stage } from './stage.ts'

/** On a PostgreSQL server, where one act can be stopped while it holds what it has locked. */
export interface HoldingStage extends Stage {
  /** Starts the second act while the first holds what its commit of this number, counted from 1, has locked. */
  whileHeld(commit: number, first: Act, second: Act): Promise<readonly [Outcome, Outcome]>
  /** How often the act commits if nothing else happens. */
  commitsOf(act: Act): Promise<number>
  forgetLimits(): Promise<void>
}

const CONNECTIONS = 4
const LONGEST_MILLISECONDS = 120_000

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
  for (const store of [platform.meta, ...platform.shards.values()])
    await openConnections(store, url, CONNECTIONS)
  const holder = new pg.Client(url)
  await holder.connect()
  opening.defer(() => holder.end())

  async function whileHeld(commit: number, first: Act, second: Act) {
    await holder.query('select pg_advisory_lock($1)', [HELD_BY])
    const held = started(numbered.run(commit, first))
    try {
      await until(async () => held.isOver() || (await waiting()) >= 1)
      if (held.isOver()) throw new Error(`there was no commit ${commit}: ${await held.outcome}`)
      const other = started(second())
      await until(async () => other.isOver() || (await waiting()) >= 2)
      await holder.query('select pg_advisory_unlock($1)', [HELD_BY])
      return [await held.outcome, await other.outcome] as const
    } finally {
      await holder.query('select pg_advisory_unlock_all()')
    }
  }

  async function commitsOf(act: Act): Promise<number> {
    await numbered.run(0, act)
    return numbered.sent
  }

  async function waiting(): Promise<number> {
    return (await holder.query(WAITING)).rows[0].waiting
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

const WAITING = `select count(*)::int as waiting from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`

function started(outcome: Promise<Outcome>) {
  let isOver = false
  outcome.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  return { outcome, isOver: () => isOver }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST_MILLISECONDS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('an act neither waits for a row nor ends')
    await pause(2)
  }
}
