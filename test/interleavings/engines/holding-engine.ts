import { CompiledQuery, type QueryResult } from 'kysely'
import type { Work } from '../../../src/database/decision.ts'
import { isRead } from '../../../src/database/reads.ts'
import type { Engine, Length, Reads } from '../../../src/database/store.ts'
import type { NumberedAct } from './numbered-act.ts'
import { WrappedEngine } from './wrapped-engine.ts'

export const HELD_BY = 1313

/** A PostgreSQL store, one commit of which keeps its locks until `HELD_BY` is released. */
export class HoldingEngine extends WrappedEngine {
  readonly #act: NumberedAct

  constructor(engine: Engine, act: NumberedAct) {
    super(engine)
    this.#act = act
  }

  override async run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    if (isRead(query) || !this.#act.isNow()) return super.run(query, reads)
    const [result] = await super.batch([query, WAIT])
    return result ?? { rows: [] }
  }

  override async batch(queries: readonly CompiledQuery[], length?: Length): Promise<readonly QueryResult<unknown>[]> {
    if (!this.#act.isNow()) return super.batch(queries, length)
    return (await super.batch([...queries, WAIT], length)).slice(0, -1)
  }

  override decide(work: Work): Promise<void> {
    if (!this.#act.isNow()) return super.decide(work)
    return super.decide(async (send) => [...(await work(send)), WAIT])
  }
}

const WAIT = CompiledQuery.raw(`select pg_advisory_xact_lock_shared(${HELD_BY})`)
