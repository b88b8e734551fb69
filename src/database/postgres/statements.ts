import type { CompiledQuery } from 'kysely'
import type { QueryConfig } from 'pg'
import { type Bindable, bindable } from '../statement-driver.ts'

const NAMED_AT_MOST = 1_000
const LONGEST_NAMED_CHARACTERS = 4_000
const PREPARABLE = /^\s*(select|insert|update|delete|with)\b/i

export type Statement = QueryConfig<Bindable[]>

/** Names the prepared statement of each SQL text, the same on every connection. */
export class Statements {
  readonly #names = new Map<string, string>()
  #given = 0

  of({ sql, parameters }: CompiledQuery): Statement {
    const values = parameters.map(bindable)
    const name = this.#nameOf(sql)
    return name === undefined ? { text: sql, values } : { name, text: sql, values }
  }

  /** The next use of this SQL gets a new name. */
  forget(sql: string): void {
    this.#names.delete(sql)
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined) return known
    if (this.#names.size >= NAMED_AT_MOST || sql.length > LONGEST_NAMED_CHARACTERS) return undefined
    if (!PREPARABLE.test(sql)) return undefined
    const name = `s${++this.#given}`
    this.#names.set(sql, name)
    return name
  }
}
