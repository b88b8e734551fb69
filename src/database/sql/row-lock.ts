import { PostgresAdapter, type QueryExecutorProvider, type SelectQueryBuilder } from 'kysely'

type Select<Tables, Table extends keyof Tables, Row> = SelectQueryBuilder<Tables, Table, Row>

/**
 * Goes into a select at the start of a batch or decision, named `locked…`: the rows stay as they are until the commit,
 * and later statements see what was committed before the lock was granted. An embedded store has one writer and needs
 * no lock.
 */
export function lockRows(db: QueryExecutorProvider) {
  return <Tables, Table extends keyof Tables, Row>(query: Select<Tables, Table, Row>) =>
    isShared(db) ? query.forNoKeyUpdate() : query
}

/** The same, in a select named `held…`, but several transactions can hold the lock at once. */
export function keepRowsUnchanged(db: QueryExecutorProvider) {
  return <Tables, Table extends keyof Tables, Row>(query: Select<Tables, Table, Row>) =>
    isShared(db) ? query.forShare() : query
}

/** Skips locked rows, so a sweep neither waits nor deadlocks. */
export function skipLockedRows(db: QueryExecutorProvider) {
  return <Tables, Table extends keyof Tables, Row>(query: Select<Tables, Table, Row>) =>
    isShared(db) ? query.forUpdate().skipLocked() : query
}

/** True if several processes can write at once. */
export function isShared(db: QueryExecutorProvider): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
