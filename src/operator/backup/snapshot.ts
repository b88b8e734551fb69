import { backup, DatabaseSync } from 'node:sqlite'
import { guarded } from '../../database/sqlite/errors.ts'

export interface EmbeddedStore {
  readonly name: string
  readonly path: string
}

export type Progress = (store: string, share: number) => void

const LOCK_MILLISECONDS = 5_000
const PAGES_EACH_STEP = 1_000

/**
 * All stores as they were at one moment. For an instant no process can write to any of them; in that instant
 * a reader is opened on each. The copies are made from those readers while writing goes on.
 */
export class Snapshot implements Disposable {
  readonly #readers: ReadonlyMap<string, DatabaseSync>

  constructor(stores: readonly EmbeddedStore[]) {
    using writers = new DisposableStack()
    using readers = new DisposableStack()
    for (const { name, path } of stores)
      guarded(name, () => writers.use(new DatabaseSync(path, { timeout: LOCK_MILLISECONDS })).exec('begin immediate'))
    const opened = stores.map(({ name, path }) => [name, readers.use(openReader(path))] as const)
    this.#readers = new Map(opened)
    readers.move()
  }

  async copy(store: string, path: string, progress: Progress): Promise<void> {
    const reader = this.#readers.get(store)
    if (!reader) throw new Error(`the snapshot has no store ${store}`)
    await backup(reader, path, {
      rate: PAGES_EACH_STEP,
      progress: ({ totalPages, remainingPages }) => progress(store, 1 - remainingPages / totalPages),
    })
    progress(store, 1)
  }

  [Symbol.dispose](): void {
    for (const reader of this.#readers.values()) reader.close()
  }
}

/** A read transaction sees the store as it was at the transaction's first read. */
function openReader(path: string): DatabaseSync {
  const reader = new DatabaseSync(path, { readOnly: true, timeout: LOCK_MILLISECONDS })
  reader.exec('begin; select count(*) from sqlite_schema')
  return reader
}
