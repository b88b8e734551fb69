import { AsyncLocalStorage } from 'node:async_hooks'
import type { CompiledQuery, QueryResult } from 'kysely'
import type { Engine, Reads, SnapshotFrom, SnapshotLength } from '../../../src/database/store.ts'
import { WrappedEngine } from './wrapped-engine.ts'

/** Which statement of an act waits until something else is over. */
export class Interruption {
  readonly #acts = new AsyncLocalStorage<true>()
  #before = 0
  #seen = 0
  #meanwhile: () => Promise<unknown> = async () => undefined

  /** Does the other thing right before the act's statement of this number, counted from 1. */
  run<T>(statement: number, meanwhile: () => Promise<unknown>, act: () => Promise<T>): Promise<T> {
    this.#before = statement
    this.#seen = 0
    this.#meanwhile = meanwhile
    return this.#acts.run(true, act)
  }

  /** How many statements and batches the last act has sent. */
  get statements(): number {
    return this.#seen
  }

  async atStatement(): Promise<void> {
    if (this.#acts.getStore() !== true) return
    this.#seen++
    if (this.#seen === this.#before) await this.#acts.exit(this.#meanwhile)
  }
}

/** A store's engine, each statement of which can be interrupted. */
export class InterruptedEngine extends WrappedEngine {
  readonly #interruption: Interruption

  constructor(engine: Engine, interruption: Interruption) {
    super(engine)
    this.#interruption = interruption
  }

  override async run(query: CompiledQuery, reads: Reads): Promise<QueryResult<unknown>> {
    await this.#interruption.atStatement()
    return super.run(query, reads)
  }

  override async batch(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]> {
    await this.#interruption.atStatement()
    return super.batch(queries)
  }

  override async snapshot(queries: readonly CompiledQuery[], from: SnapshotFrom, length: SnapshotLength) {
    await this.#interruption.atStatement()
    return super.snapshot(queries, from, length)
  }
}
