import type { CompiledQuery } from 'kysely'
import type { QueryConfig } from 'pg'
import { isRead } from '../reads.ts'
import { RecentlyUsed } from '../recently-used.ts'
import { type Bindable, bindable } from '../statement-driver.ts'

export const NAMED_AT_MOST = 1_000
const LONGEST_NAMED_CHARACTERS = 4_000
const PREPARABLE = /^\s*(select|insert|update|delete|with)\b/i

export interface Statement extends QueryConfig<Bindable[]> {
  /** It changes nothing, so its connection waits for no commit. */
  readonly isRead: boolean
  /** Replaces the connection's own. */
  readonly query_timeout?: number
}

/** The longest that a timer of Node waits: 24 days. */
const LONGEST_MILLISECONDS = 2 ** 31 - 1

/** Unnamed: it is sent once, and only pg's own query has a timeout of its own. */
export function awaitedLong({ name, ...unnamed }: Statement): Statement {
  return { ...unnamed, query_timeout: LONGEST_MILLISECONDS }
}

export function isAwaitedLong({ query_timeout }: Statement): boolean {
  return query_timeout === LONGEST_MILLISECONDS
}

/** Names the prepared statement of each SQL text, the same on every connection. A name is never used again. */
export class Statements {
  readonly #names = new RecentlyUsed<string>(NAMED_AT_MOST)
  #given = 0

  of(query: CompiledQuery): Statement {
    const { sql, parameters } = query
    const statement = { text: sql, values: parameters.map(bindable), isRead: isRead(query) }
    const name = this.#nameOf(sql)
    return name === undefined ? statement : { name, ...statement }
  }

  /** The next use of this SQL gets a new name. */
  forget(sql: string): void {
    this.#names.forget(sql)
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.use(sql)
    if (known !== undefined) return known
    if (sql.length > LONGEST_NAMED_CHARACTERS) return undefined
    if (!PREPARABLE.test(sql)) return undefined
    const name = `s${++this.#given}`
    this.#names.keep(sql, name)
    return name
  }
}
