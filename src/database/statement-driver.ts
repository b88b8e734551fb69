import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'

export type Run = (query: CompiledQuery) => Promise<QueryResult<unknown>>

/** Kysely asks for connections and transactions; a store offers single statements. */
export class StatementDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(run: Run) {
    this.#connection = {
      // The row's type is the query's own claim; a driver cannot know it.
      executeQuery: async <Row>(query: CompiledQuery) => (await run(query)) as QueryResult<Row>,
      streamQuery() {
        throw new Error('streaming is not offered; page through the rows')
      },
    }
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }
  async beginTransaction(): Promise<void> {
    throw new Error('a write is one statement or one batch')
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

export type Bindable = null | string | number | bigint

/** Drivers silently convert an object or a date, so only text and numbers are accepted. */
export function bindable(value: unknown): Bindable {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  throw new TypeError(`cannot store a ${typeof value}; write it as text or a number`)
}
