import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Bindable } from './statement-driver.ts'

/**
 * A statement for the hottest paths: built and compiled once for each store, afterwards only bound.
 * The builder may put anything where a parameter goes; the parameters are given in the statement's order.
 */
export function prepared<Tables, Row>(build: (db: Kysely<Tables>) => Compilable<Row>) {
  const compiled = new WeakMap<Kysely<Tables>, CompiledQuery<Row>>()
  const compileOnce = (db: Kysely<Tables>): CompiledQuery<Row> => {
    const query = build(db).compile()
    compiled.set(db, query)
    return query
  }
  return async (db: Kysely<Tables>, ...parameters: readonly Bindable[]): Promise<readonly Row[]> => {
    const query = compiled.get(db) ?? compileOnce(db)
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}
