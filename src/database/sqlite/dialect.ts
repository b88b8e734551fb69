import { type Dialect, type LimitNode, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, ValueNode } from 'kysely'
import { type Run, StatementDriver } from '../statement-driver.ts'

/** Otherwise the builder would make every read wait while a write waits for its commit. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * SQLite plans a statement for the limit that is bound to it, so it prepares it again each time it runs: 10 µs for a
 * short read, 100 for a page of notifications. It plans a limit in the statement's text once, and an expression too.
 */
class LimitsPlannedOnce extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ')
    if (ValueNode.is(limit) && Number.isInteger(limit.value)) {
      this.append(String(limit.value))
    } else {
      this.visitNode(limit)
      this.append(' + 0')
    }
  }
}

/** Makes the query builder write for SQLite and pass its statements to `run`. */
export function sqliteDialect(run: Run): Dialect {
  const driver = new StatementDriver(run)
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createDriver: () => driver,
    createQueryCompiler: () => new LimitsPlannedOnce(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}
