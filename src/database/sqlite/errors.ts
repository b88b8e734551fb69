import { ConstraintViolation, StoreUnavailable } from '../store.ts'

const SQLITE = {
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  CONSTRAINT: 19,
  NOTADB: 26,
}
const UNAVAILABLE: ReadonlySet<number> = new Set([
  SQLITE.BUSY,
  SQLITE.LOCKED,
  SQLITE.READONLY,
  SQLITE.IOERR,
  SQLITE.CORRUPT,
  SQLITE.FULL,
  SQLITE.CANTOPEN,
  SQLITE.NOTADB,
])
const CONSTRAINT_KIND: ReadonlyMap<number, ConstraintViolation['kind']> = new Map([
  [2067, 'unique'],
  [1555, 'unique'],
  [787, 'foreign-key'],
  [1299, 'not-null'],
])

export function translated(store: string, error: unknown): unknown {
  if (!isSqliteError(error)) return error
  const primary = error.errcode & 0xff
  if (UNAVAILABLE.has(primary)) return new StoreUnavailable(store, { cause: error })
  if (primary !== SQLITE.CONSTRAINT) return error
  const kind = CONSTRAINT_KIND.get(error.errcode) ?? 'other'
  // Example: `NOT NULL constraint failed: residents.writes`.
  const [, table, column] = /: (\w+)\.(\w+)/.exec(error.message) ?? []
  const constraint = { kind, table, column: kind === 'not-null' ? column : undefined }
  return new ConstraintViolation(constraint, error.message, { cause: error })
}

/** The file cannot be written. A lock that is held for a moment does not count. */
export function isWriteRefused(error: unknown): boolean {
  if (!isSqliteError(error)) return false
  return UNAVAILABLE.has(error.errcode & 0xff) && !isBusy(error)
}

/** Another process is writing at this moment. */
export function isBusy(error: unknown): boolean {
  if (!isSqliteError(error)) return false
  const primary = error.errcode & 0xff
  return primary === SQLITE.BUSY || primary === SQLITE.LOCKED
}

function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
}

export function guarded<T>(store: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw translated(store, error)
  }
}
