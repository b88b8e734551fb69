import {
  type Dialect,
  type LimitNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import { type Run, StatementDriver } from '../statement-driver.ts'

/** Otherwise the builder would make every read wait while a write waits for its commit. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * SQLite plans a statement for the limit that is bound to it, so it prepares it again each time it runs: 10 µs for a
 * short read, 20 for an insert that selects. A limit in the statement's text is planned once.
 */
class LiteralLimits extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isInteger(limit.value)) this.append(`limit ${limit.value}`)
    else super.visitLimit(node)
  }
}

/** Makes the query builder write for SQLite and pass its statements to `run`. */
export function sqliteDialect(run: Run): Dialect {
  const driver = new StatementDriver(run)
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createDriver: () => driver,
    createQueryCompiler: () => new LiteralLimits(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}
