import pg, { type QueryResult } from 'pg'
import type { Bindable } from '../statement-driver.ts'

/** A server's description of a statement's columns, and what pg made of it. */
export interface Columns {
  readonly fields: unknown
  readonly _parsers: unknown
  readonly _prebuiltEmptyResultObject: unknown
}

export interface NamedStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly Bindable[]
}

/** pg's own query beyond its published types, as in the locked version; a test fails when a new one differs. */
interface Inner {
  name: string
  readonly _result: Columns
  _accumulateRows: boolean
  prepare(wire: Wire): void
  handleRowDescription(message: unknown): void
  submit(wire: pg.Connection): void
}

interface Wire {
  bind(message: { readonly statement: string; readonly values: readonly (string | null)[] }): void
  execute(): void
  sync(): void
}

type Done = (error: Error | null, result: QueryResult) => void

const Query = pg.Query as unknown as new (text: string, values: readonly Bindable[], done: Done) => Inner

/**
 * A prepared statement whose columns are described once a connection. pg asks for them with each use, and taking
 * the same answer apart again was an eighth of a session check.
 */
export class PreparedQuery extends Query {
  readonly #values: readonly Bindable[]
  readonly #known: Map<string, Columns>

  constructor({ name, text, values }: NamedStatement, known: Map<string, Columns>, done: Done) {
    super(text, values, done)
    this.name = name
    this.#values = values
    this.#known = known
  }

  override prepare(wire: Wire): void {
    const columns = this.#known.get(this.name)
    if (!columns) {
      super.prepare(wire)
      return
    }
    Object.assign(this._result, columns)
    this._accumulateRows = true
    const values = this.#values.map((value) => (value === null ? null : String(value)))
    wire.bind({ statement: this.name, values })
    wire.execute()
    wire.sync()
  }

  override handleRowDescription(message: unknown): void {
    super.handleRowDescription(message)
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result
    this.#known.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject })
  }
}
