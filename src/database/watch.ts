import { type CompiledQuery, InsertQueryNode } from 'kysely'

/** Lets others observe each statement. */
export class Watch {
  observe: (seconds: number) => void = () => undefined
  readonly #listeners = new Map<string, () => void>()

  onInsert(table: string, listener: () => void): void {
    this.#listeners.set(table, listener)
  }

  done({ query }: CompiledQuery): void {
    if (this.#listeners.size === 0 || !InsertQueryNode.is(query)) return
    this.#listeners.get(query.into?.table.identifier.name ?? '')?.()
  }
}
