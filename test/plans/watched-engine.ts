import { CompiledQuery, type QueryResult } from 'kysely'
import { metaMigrations } from '../../src/database/migrations/meta.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import type { MetaTables } from '../../src/database/schema/tables.ts'
import { SqliteEngine } from '../../src/database/sqlite/engine.ts'
import { type Length, type Reads, Store } from '../../src/database/store.ts'

/** A global store in memory that lists the steps an embedded database takes for an act's statements. */
export async function watchedMeta() {
  const engine = new WatchedEngine('meta', ':memory:')
  const meta = new Store<MetaTables>(engine)
  await migrate(meta, metaMigrations, 1)
  return {
    meta,
    async plansOf(act: () => Promise<unknown>): Promise<readonly string[]> {
      engine.seen.length = 0
      await act()
      return engine.plans()
    },
  }
}

class WatchedEngine extends SqliteEngine {
  readonly seen: CompiledQuery[] = []

  override run(query: CompiledQuery): Promise<QueryResult<unknown>> {
    this.seen.push(query)
    return super.run(query)
  }

  override batch(queries: readonly CompiledQuery[]) {
    this.seen.push(...queries)
    return super.batch(queries)
  }

  override snapshot(queries: readonly CompiledQuery[], from: Reads, length: Length) {
    this.seen.push(...queries)
    return super.snapshot(queries, from, length)
  }

  async plans(): Promise<readonly string[]> {
    const explain = ({ sql, parameters }: CompiledQuery) =>
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
    const explained = await super.batch(this.seen.map(explain))
    return explained.flatMap(({ rows }) => rows.map((row) => String(Reflect.get(Object(row), 'detail'))))
  }
}
