import type { Compilable } from 'kysely'
import type { MetaTables, ShardTables } from './schema.ts'
import { ConstraintViolation, type Store } from './store.ts'

/**
 * What a batch checks first: the statement changes one row, and makes a column null that must not be null unless
 * the batch may run. So the row is locked, and a batch that may not run leaves nothing.
 */
export interface Guard {
  readonly statement: Compilable<unknown>
  readonly table: keyof MetaTables | keyof ShardTables
  readonly column: string
  /** What is thrown in place of the store's own error. */
  readonly refused: (cause: unknown) => Error
}

/** Returns the rows of the statements behind the guard. */
export async function batchBehind<Tables, const Statements extends readonly Compilable<unknown>[]>(
  store: Store<Tables>,
  guard: Guard,
  statements: Statements,
) {
  try {
    const [, ...rows] = await store.batch([guard.statement, ...statements])
    return rows
  } catch (error) {
    throw isRefusedBy(guard, error) ? guard.refused(error) : error
  }
}

function isRefusedBy({ table, column }: Guard, error: unknown): boolean {
  return error instanceof ConstraintViolation && error.table === table && error.column === column
}
