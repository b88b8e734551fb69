import type { Compilable, QueryResult } from 'kysely'

/** What a batch returned. Rows are found by their statement: a position would be wrong after the next edit. */
export class BatchRows {
  readonly #statements: readonly Compilable<unknown>[]
  readonly #results: readonly QueryResult<unknown>[]

  constructor(statements: readonly Compilable<unknown>[], results: readonly QueryResult<unknown>[]) {
    this.#statements = statements
    this.#results = results
  }

  /** The statement itself must have been in the batch, not another one with the same text. */
  of<Row>(statement: Compilable<Row>): readonly Row[] {
    const result = this.#results[this.#statements.indexOf(statement)]
    if (!result) throw new Error('this statement was not in the batch')
    // The row's type is the statement's own claim; a driver cannot know it.
    return result.rows as readonly Row[]
  }

  /** How many rows the statement with the most rows returned. */
  most(): number {
    return Math.max(...this.#results.map(({ rows }) => rows.length))
  }
}
