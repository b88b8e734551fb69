import type { Compilable, QueryResult } from 'kysely'

/** The rows a batch returned. They are looked up by statement, because positions shift with the next edit. */
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

  /** The largest number of rows that one statement returned. */
  most(): number {
    return Math.max(...this.#results.map(({ rows }) => rows.length))
  }
}
