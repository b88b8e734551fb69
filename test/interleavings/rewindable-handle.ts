import { Handle, openWriter } from '../../src/database/sqlite/handle.ts'

/** What the engine says, said inside a transaction that lasts as long as the store. */
const INSIDE: ReadonlyMap<string, string> = new Map([
  ['begin immediate', 'savepoint turn'],
  ['commit', 'release turn'],
])

/** The connection of a store in memory, which can go back to a moment. */
export class RewindableHandle extends Handle {
  #isKept = false

  constructor(name: string) {
    super(openWriter(name, ':memory:').database)
  }

  override exec(sql: string): void {
    super.exec(INSIDE.get(sql) ?? sql)
  }

  override rollback(): void {
    this.exec('rollback to turn')
    this.exec('release turn')
  }

  keep(): void {
    if (this.#isKept) this.exec('release kept')
    this.exec('savepoint kept')
    this.#isKept = true
  }

  rewind(): void {
    this.exec('rollback to kept')
  }
}
