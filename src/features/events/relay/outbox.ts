import { type Shard, StoreUnavailable } from '../../../database/store.ts'
import type { Log } from '../../../platform/log/log.ts'
import { within } from '../../../rules/time.ts'
import { rowOfOutbox } from '../outbox-statements.ts'
import type { NewRow } from '../statements.ts'
import * as store from '../store.ts'

/** What happens in the other stores does not wait longer than this for a shard. */
const PATIENCE_MILLISECONDS = 250

type Rows = readonly NewRow[]

/** The events that wait in one shard. If they cannot be read or deleted now, those of the other stores go on. */
export class Outbox {
  readonly #shard: Shard
  readonly #log: Log
  /** What the shard has not responded to in time. It is not asked again before, and the next turn gets the rows. */
  #late: Promise<Rows> | undefined
  /** What the shard could not delete. It is not read again before, if it would only return the same rows. */
  #undeleted: readonly string[] | undefined

  constructor(shard: Shard, log: Log) {
    this.#shard = shard
    this.#log = log
  }

  get isLate(): boolean {
    return this.#late !== undefined
  }

  async read(atMost: number): Promise<Rows> {
    try {
      return await this.#inTime(this.#late ?? this.#rows(atMost))
    } catch (error) {
      this.#logDelay(error)
      return []
    }
  }

  /** False if they are still there, and will be read again. */
  async delete(ids: readonly string[], isWholePage: boolean): Promise<boolean> {
    if (ids.length === 0) return true
    try {
      await this.#inTime(store.clearOutbox(this.#shard, ids).then(() => []))
      return !this.isLate
    } catch (error) {
      if (isWholePage) this.#undeleted = ids
      this.#logDelay(error)
      return false
    }
  }

  async #rows(atMost: number): Promise<Rows> {
    if (this.#undeleted) await store.clearOutbox(this.#shard, this.#undeleted)
    this.#undeleted = undefined
    return (await store.outbox(this.#shard, atMost)).map(rowOfOutbox)
  }

  async #inTime(work: Promise<Rows>): Promise<Rows> {
    this.#late = undefined
    const rows = await within(PATIENCE_MILLISECONDS, work)
    if (!rows) this.#late = work
    return rows ?? []
  }

  #logDelay(error: unknown): void {
    const level = error instanceof StoreUnavailable ? 'warn' : 'error'
    this.#log[level]({ error, shard: this.#shard.name }, 'the events of a shard are delayed')
  }
}
