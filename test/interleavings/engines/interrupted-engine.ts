import type { CompiledQuery } from 'kysely'
import type { Engine } from '../../../src/database/store.ts'
import { NumberedAct } from './numbered-act.ts'
import { WrappedEngine } from './wrapped-engine.ts'

/** Makes one statement of an act wait until something else is over. */
export class Interruption {
  readonly #act = new NumberedAct()
  #text: string | undefined
  #meanwhile: () => Promise<unknown> = async () => undefined

  /**
   * Does the other thing right before the act's statement of this number, counted from 1, or the first with this text.
   */
  run<T>(statement: number | string, meanwhile: () => Promise<unknown>, act: () => Promise<T>): Promise<T> {
    const [number, text] = typeof statement === 'number' ? [statement, undefined] : [0, statement]
    this.#text = text
    this.#meanwhile = meanwhile
    return this.#act.run(number, act)
  }

  /** The number of statements and batches that the last act has sent. */
  get statements(): number {
    return this.#act.sent
  }

  async before(queries: readonly CompiledQuery[]): Promise<void> {
    if (this.#isNow(queries)) await this.#act.outside(this.#meanwhile)
  }

  #isNow(queries: readonly CompiledQuery[]): boolean {
    const text = this.#text
    if (text === undefined || !queries.some(({ sql }) => sql.includes(text))) return this.#act.isNow()
    this.#text = undefined
    return true
  }
}

/** A store's engine, each statement of which can be interrupted. */
export class InterruptedEngine extends WrappedEngine {
  readonly #interruption: Interruption

  constructor(engine: Engine, interruption: Interruption) {
    super(engine)
    this.#interruption = interruption
  }

  protected override async around<T>(queries: readonly CompiledQuery[], send: () => Promise<T>): Promise<T> {
    await this.#interruption.before(queries)
    return send()
  }
}
