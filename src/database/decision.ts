import { AsyncLocalStorage } from 'node:async_hooks'
import type { Compilable, CompiledQuery, QueryResult } from 'kysely'

/** Sends statements inside an open transaction, at once and in order. */
type Send = (queries: readonly CompiledQuery[]) => Promise<readonly QueryResult<unknown>[]>

/** Runs in a transaction; resolves to the writes that are sent together with the commit. */
export type Work = (send: Send) => Promise<readonly CompiledQuery[]>

/** A query, or undefined if this decision does not need it: then it returns no rows. */
export type Query = Compilable<unknown> | undefined

/** The rows that each of several queries returns. */
export type Rows<Queries extends readonly Query[]> = {
  [K in keyof Queries]: Queries[K] extends Compilable<infer Row> | undefined ? readonly Row[] : never
}

/** Each is a round trip to a server, during which the locks are held. */
const READS_AT_MOST = 5

const deciding = new AsyncLocalStorage<true>()

/** Every engine calls this first: a statement outside the decision's transaction could wait for its locks forever. */
export function refuseInsideDecision(): void {
  if (deciding.getStore()) throw new TypeError('inside a decision, use the decision and not the store')
}

/**
 * One short transaction whose conditions are TypeScript. Rows it has locked stay as they were read; all others can
 * change. The work can run twice, so it must change nothing but the store and wait only for its own statements.
 */
export class Decision {
  readonly #send: Send
  #writes: Compilable<unknown>[] = []
  #underWay = 0
  #reads = 0
  #isOver = false
  #failure: { readonly cause: unknown } | undefined
  readonly #stalled = Promise.withResolvers<never>()

  constructor(send: Send) {
    this.#send = send
  }

  /** Sends any writes so far, then these queries, in order and in one round trip. */
  async read<const Queries extends readonly Query[]>(queries: Queries): Promise<Rows<Queries>> {
    const writes = this.#takeWrites()
    const wanted = queries.flatMap((query) => query?.compile() ?? [])
    const results = (await this.#sent([...writes, ...wanted])).slice(writes.length)
    return queries.map((query) => (query ? results.shift()?.rows : [])) as unknown as Rows<Queries>
  }

  async first<Row>(query: Compilable<Row>): Promise<Row | undefined> {
    const [rows] = await this.read([query])
    return rows[0] as Row | undefined
  }

  /**
   * Statements sent with the commit, so that their locks are held no longer than in a batch. If one fails, all are
   * rolled back. Undefined ones are left out.
   */
  write(...statements: readonly Query[]): void {
    this.#refuseLate()
    this.#writes.push(...statements.filter((statement) => statement !== undefined))
  }

  /** Returns the work's result, and the writes that are still to be sent. */
  static async run<T>(send: Send, work: (decision: Decision) => Promise<T>) {
    const decision = new Decision(send)
    try {
      const value = await Promise.race([deciding.run(true, () => work(decision)), decision.#stalled.promise])
      if (decision.#underWay > 0) throw new TypeError('a decision ended before one of its statements')
      if (decision.#failure) throw decision.#failure.cause
      return { value, writes: decision.#takeWrites() }
    } catch (error) {
      // Throws even if the work caught the error: no engine commits after a failed statement.
      throw decision.#failure ? decision.#failure.cause : error
    } finally {
      decision.#isOver = true
    }
  }

  #takeWrites(): CompiledQuery[] {
    const writes = this.#writes
    this.#writes = []
    return writes.map((statement) => statement.compile())
  }

  async #sent(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]> {
    this.#refuseLate()
    if (++this.#reads > READS_AT_MOST) throw new TypeError('a decision reads a few times, not in a loop')
    this.#underWay++
    try {
      return await this.#send(queries)
    } catch (cause) {
      this.#failure ??= { cause }
      throw cause
    } finally {
      this.#underWay--
      this.#checkOnceIdle()
    }
  }

  /**
   * When no promise is left to continue and no statement is under way, only a timer, a thread or a socket could
   * continue the work, while others wait for its locks.
   */
  #checkOnceIdle(): void {
    queueMicrotask(() =>
      process.nextTick(() => {
        if (this.#isOver || this.#underWay > 0) return
        this.#stalled.reject(new TypeError('a decision waited for something other than its statements'))
      }),
    )
  }

  #refuseLate(): void {
    if (this.#isOver) throw new TypeError('this decision is over')
    if (this.#failure) throw this.#failure.cause
  }
}
