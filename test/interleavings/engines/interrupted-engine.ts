import type { CompiledQuery, QueryResult } from 'kysely'
import type { Engine, Reads, SnapshotFrom, SnapshotLength } from '../../../src/database/store.ts'
import { NumberedAct } from './numbered-act.ts'
import { WrappedEngine } from './wrapped-engine.ts'

/** Which statement of an act waits until something else is over. */
export class Interruption {
  readonly #act = new NumberedAct()
  #meanwhile: () => Promise<unknown> = async () => undefined

  /** Does the other thing right before the act's statement of this number, counted from 1. */
  run<T>(statement: number, meanwhile: () => Promise<unknown>, act: () => Promise<T>): Promise<T> {
    this.#meanwhile = meanwhile
    return this.#act.run(statement, act)
  }

  /** How many statements and batches the last act has sent. */
  get statements(): number {
    return this.#act.sent
  }

  async atStatement(): Promise<void> {
    if (this.#act.isNow()) await this.#act.outside(this.#meanwhile)
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
