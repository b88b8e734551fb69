import type { Compilable } from 'kysely'
import type { BatchRows } from './batch-rows.ts'
import type { MetaTables, ShardTables } from './schema/tables.ts'
import { ConstraintViolation, type Store, StoreUnavailable } from './store.ts'

/**
 * The check at the start of a batch: a statement changes one row, and sets a NOT NULL column to null unless the batch
 * may run. The row is then locked, and a batch that may not run changes nothing.
 */
export interface Guard {
  /** Runs first, if the check concerns rows other than the one that changes. */
  readonly lock?: Compilable<unknown>
  readonly statement: Compilable<unknown>
  readonly table: keyof MetaTables | keyof ShardTables
  readonly column: string
  /** The row can be gone by then; rows that refer to it are then refused too. */
  readonly coversReferences?: true
  /** Thrown in place of the store's own error. */
  readonly refused: (cause: unknown) => Error
}

/** A batch without a guard always runs. */
export async function batchBehind<Tables>(
  store: Store<Tables>,
  guard: Guard | undefined,
  statements: readonly Compilable<unknown>[],
): Promise<BatchRows> {
  if (!guard) return store.batch(statements)
  try {
    const checks = guard.lock ? [guard.lock, guard.statement] : [guard.statement]
    return await store.batch([...checks, ...statements])
  } catch (error) {
    throw isRefusedBy(guard, error) ? guard.refused(error) : error
  }
}

function isRefusedBy({ table, column, coversReferences }: Guard, error: unknown): boolean {
  if (!(error instanceof ConstraintViolation)) return false
  if (error.kind === 'foreign-key') return coversReferences === true
  return error.table === table && error.column === column
}

/** Thrown by a guard: what the batch depends on has changed since it was read. Nothing is written. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

// Each further turn needs another change between two statements.
const TURNS = 20

/** Runs again, so that everything is read and checked as it is now, if the batch was overtaken by a change. */
export async function untilNotOvertaken<Tables, T>({ name }: Store<Tables>, act: () => Promise<T>): Promise<T> {
  for (let turn = 1; turn <= TURNS; turn++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
    }
  }
  throw new StoreUnavailable(name)
}
