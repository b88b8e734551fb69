import { Handle, openWriter } from '../../../src/database/sqlite/handle.ts'

/** The engine's own statements, inside a transaction that lasts as long as the store. */
const INSIDE: ReadonlyMap<string, string> = new Map([
  ['begin immediate', 'savepoint turn'],
  ['commit', 'release turn'],
])

type Moment = 'opened' | 'kept'

/** The connection of a store in memory, which can go back to the end of its opening, and to one later moment. */
export class RewindableHandle extends Handle {
  readonly #moments: Moment[] = []

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

  /** Forgets later moments. */
  keep(moment: Moment): void {
    while (this.#moments.includes(moment)) this.exec(`release ${this.#moments.pop()}`)
    this.exec(`savepoint ${moment}`)
    this.#moments.push(moment)
  }

  rewind(moment: Moment): void {
    this.exec(`rollback to ${moment}`)
    while (this.#moments.at(-1) !== moment) this.#moments.pop()
  }
}
