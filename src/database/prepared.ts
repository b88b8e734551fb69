import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Bindable } from './statement-driver.ts'
import type { Database } from './store.ts'

/**
 * A statement for the hottest paths: built and compiled once for each store, afterwards only bound.
 * The builder can put anything where a parameter goes; the parameters are given in the statement's order.
 */
export function prepared<Tables, Row>(build: (db: Kysely<Tables>) => Compilable<Row>) {
  const query = preparedQuery(build)
  return (db: Database<Tables>, ...parameters: readonly Bindable[]): Promise<readonly Row[]> =>
    db.run(query(db, ...parameters).compile())
}

/** The same as a part of a batch or of a snapshot. */
export function preparedQuery<Tables, Row>(build: (db: Kysely<Tables>) => Compilable<Row>) {
  const compiled = new WeakMap<Kysely<Tables>, CompiledQuery<Row>>()
  const compileOnce = (db: Kysely<Tables>): CompiledQuery<Row> => {
    const query = build(db).compile()
    compiled.set(db, query)
    return query
  }
  return (db: Kysely<Tables>, ...parameters: readonly Bindable[]): Compilable<Row> => ({
    compile: () => ({ ...(compiled.get(db) ?? compileOnce(db)), parameters }),
  })
}

const LENGTHS = [20, 100] as const

/**
 * The same for a page of ids, which come last: compiled for the lengths that pages have, and padded
 * with an id that no row has.
 */
export function preparedQueryForIds<Tables, Row>(
  build: (db: Kysely<Tables>, ids: readonly string[]) => Compilable<Row>,
) {
  const byLength = LENGTHS.map((length) => ({
    length,
    query: preparedQuery((db: Kysely<Tables>) => build(db, Array<string>(length).fill(''))),
  }))
  return (db: Kysely<Tables>, ids: readonly string[], ...before: readonly Bindable[]): Compilable<Row> => {
    const fitting = byLength.find(({ length }) => ids.length <= length)
    if (!fitting) throw new RangeError(`${ids.length} ids are more than a page has`)
    const padding = Array<string>(fitting.length - ids.length).fill('')
    return fitting.query(db, ...before, ...ids, ...padding)
  }
}

export function preparedForIds<Tables, Row>(
  build: (db: Kysely<Tables>, ids: readonly string[]) => Compilable<Row>,
) {
  const query = preparedQueryForIds(build)
  return async (
    db: Database<Tables>,
    ids: readonly string[],
    ...before: readonly Bindable[]
  ): Promise<readonly Row[]> => (ids.length === 0 ? [] : db.run(query(db, ids, ...before).compile()))
}
