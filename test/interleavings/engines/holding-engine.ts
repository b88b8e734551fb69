import { AsyncLocalStorage } from 'node:async_hooks'
import { CompiledQuery, type QueryResult } from 'kysely'
import { isRead } from '../../../src/database/reads.ts'
import type { Engine, Reads } from '../../../src/database/store.ts'
import { WrappedEngine } from './wrapped-engine.ts'

export const HELD_BY = 1313

/** Which commit stops before its end. */
export class Hold {
  readonly #acts = new AsyncLocalStorage<true>()
  #commit = 0
  #seen = 0

  /** Runs the act whose commit of this number, counted from 1, is held. */
  run<T>(commit: number, act: () => Promise<T>): Promise<T> {
    this.#commit = commit
    this.#seen = 0
    return this.#acts.run(true, act)
  }

  isNow(): boolean {
    return this.#acts.getStore() === true && ++this.#seen === this.#commit
  }

  async commitsOf(act: () => Promise<unknown>): Promise<number> {
    await this.run(0, act)
    return this.#seen
  }
}

/** A PostgreSQL store, one commit of which keeps its locks until `HELD_BY` is released. */
export class HoldingEngine extends WrappedEngine {
  readonly #hold: Hold

  constructor(engine: Engine, hold: Hold) {
    super(engine)
    this.#hold = hold
  }

  override async run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    if (isRead(query) || !this.#hold.isNow()) return super.run(query, reads)
    const [result] = await super.batch([query, WAIT])
    return result ?? { rows: [] }
  }

  override async batch(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]> {
    if (!this.#hold.isNow()) return super.batch(queries)
    return (await super.batch([...queries, WAIT])).slice(0, -1)
  }
}

const WAIT = CompiledQuery.raw(`select pg_advisory_xact_lock_shared(${HELD_BY})`)
