import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Rows, Store } from './store.ts'

/** Stands where a value will go. */
class StandIn {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * The statements of a batch on a hot path: built and compiled once for each store, afterwards only bound, by
 * name. The builder hands the values on and decides nothing by them: what it sees are stand-ins.
 */
export function preparedBatch<Tables, Values extends object, Queries extends readonly Compilable<unknown>[]>(
  build: (db: Kysely<Tables>, values: Values) => Queries,
) {
  const standIns = new Proxy({}, { get: (_, name) => new StandIn(String(name)) }) as Values
  const compiled = new WeakMap<Store<Tables>, readonly CompiledQuery[]>()
  const compileOnce = (store: Store<Tables>): readonly CompiledQuery[] => {
    const queries = build(store, standIns).map((query) => query.compile())
    compiled.set(store, queries)
    return queries
  }
  return (store: Store<Tables>, values: Values): Promise<Rows<Queries>> => {
    const queries = compiled.get(store) ?? compileOnce(store)
    const bound = queries.map((query) => ({ compile: () => bind(query, values) }))
    // The same statements in the same order, so the same rows.
    return store.batch(bound) as unknown as Promise<Rows<Queries>>
  }
}

function bind(query: CompiledQuery, values: object): CompiledQuery {
  const parameters = query.parameters.map((parameter) =>
    parameter instanceof StandIn ? (Reflect.get(values, parameter.name) ?? null) : parameter,
  )
  return { ...query, parameters }
}
