import { CompiledQuery, type QueryResult } from 'kysely'
import type { Work } from '../../../src/database/decision.ts'
import type { BatchLength, Engine } from '../../../src/database/store.ts'
import type { NumberedAct } from './numbered-act.ts'
import { WrappedEngine } from './wrapped-engine.ts'

export const PAUSED_BY = 1414

/** A PostgreSQL store. The batches of an act wait before their statement of one number until `PAUSED_BY` is released. */
export class PausingEngine extends WrappedEngine {
  readonly #act: NumberedAct

  constructor(engine: Engine, act: NumberedAct) {
    super(engine)
    this.#act = act
  }

  override async batch(
    queries: readonly CompiledQuery[],
    length?: BatchLength,
  ): Promise<readonly QueryResult<unknown>[]> {
    const at = queries.findIndex(() => this.#act.isNow())
    if (at < 0) return super.batch(queries, length)
    const results = await super.batch(queries.toSpliced(at, 0, WAIT), length)
    return results.toSpliced(at, 1)
  }

  override decide(work: Work): Promise<void> {
    return super.decide(async (send) => {
      const writes = await work(async (queries) => {
        const at = queries.findIndex(() => this.#act.isNow())
        if (at < 0) return send(queries)
        return (await send(queries.toSpliced(at, 0, WAIT))).toSpliced(at, 1)
      })
      const at = writes.findIndex(() => this.#act.isNow())
      return at < 0 ? writes : writes.toSpliced(at, 0, WAIT)
    })
  }
}

const WAIT = CompiledQuery.raw(`select pg_advisory_xact_lock_shared(${PAUSED_BY})`)
