import { type CompiledQuery, InsertQueryNode } from 'kysely'

export interface Observer {
  took(seconds: number, what: Watched): void
  failed(error: unknown, seconds: number, what: Watched): void
}

/** One statement, a batch, or a decision, whose statements are unknown before it ends. */
export type Watched = CompiledQuery | readonly CompiledQuery[] | 'decision' | 'probe'

/** Lets others observe each statement. */
export class Watch {
  observer: Observer = { took: () => undefined, failed: () => undefined }
  readonly #listeners = new Map<string, () => void>()

  onInsert(table: string, listener: () => void): void {
    this.#listeners.set(table, listener)
  }

  async timed<T>(what: Watched, work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      const result = await work()
      this.observer.took((performance.now() - started) / 1000, what)
      return result
    } catch (error) {
      this.observer.failed(error, (performance.now() - started) / 1000, what)
      throw error
    }
  }

  done({ query }: CompiledQuery): void {
    if (this.#listeners.size === 0 || !InsertQueryNode.is(query)) return
    this.#listeners.get(query.into?.table.identifier.name ?? '')?.()
  }
}
