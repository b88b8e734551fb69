import { type Shard, StoreUnavailable } from '../../../../database/store.ts'
import type { Log } from '../../../../platform/log/log.ts'
import { RepeatedFailure } from '../../../../platform/log/repeated-failure.ts'
import { within } from '../../../../rules/time.ts'
import { rowOfOutbox } from '../outbox-statements.ts'
import type { NewRow } from '../statements.ts'
import * as store from '../store.ts'

/** The longest that events of the other stores wait for one shard. */
const PATIENCE_MILLISECONDS = 250

const WORDS = {
  failed: 'the events of a shard are delayed',
  ended: 'the events of a shard are no longer delayed',
}

type Rows = readonly NewRow[]

/** The events that wait in one shard. If they cannot be read or deleted now, those of the other stores continue. */
export class Outbox {
  readonly #shard: Shard
  readonly #reading: RepeatedFailure
  readonly #deleting: RepeatedFailure
  /**
   * A read that the shard has not answered in time. The shard is not read again before it ends, and the next turn gets
   * the rows.
   */
  #late: Promise<Rows> | undefined
  /**
   * Rows that the shard could not delete. It is not read again before it has deleted them, since it would only return
   * the same rows.
   */
  #undeleted: readonly string[] | undefined

  constructor(shard: Shard, log: Log) {
    this.#shard = shard
    const ofShard = log.child({ shard: shard.name })
    this.#reading = new RepeatedFailure(ofShard, WORDS)
    this.#deleting = new RepeatedFailure(ofShard, WORDS)
  }

  get isLate(): boolean {
    return this.#late !== undefined
  }

  async read(atMost: number): Promise<Rows> {
    try {
      const rows = await this.#inTime(this.#late ?? this.#rows(atMost))
      if (!this.isLate) this.#reading.ended()
      return rows
    } catch (error) {
      this.#reading.failed(error, levelOf(error))
      return []
    }
  }

  /** Returns false if the rows are still there and will be read again. */
  async delete(ids: readonly string[], isWholePage: boolean): Promise<boolean> {
    if (ids.length === 0) return true
    try {
      await this.#inTime(store.clearOutbox(this.#shard, ids).then(() => []))
      if (this.isLate) return false
      this.#deleting.ended()
      return true
    } catch (error) {
      if (isWholePage) this.#undeleted = ids
      this.#deleting.failed(error, levelOf(error))
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
}

function levelOf(error: unknown): 'warn' | 'error' {
  return error instanceof StoreUnavailable ? 'warn' : 'error'
}
