import { AsyncResource } from 'node:async_hooks'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { CompiledQuery, Dialect, QueryResult } from 'kysely'
import { currentReadPosition, currentSenderLeaving } from '../current-request.ts'
import { refuseInsideDecision, type Work } from '../decision.ts'
import type { StoreReads } from '../read-position.ts'
import { isRead, refuseWrites } from '../reads.ts'
import { type Engine, type Length, type Reads, type StoreClock, StoreReadOnly } from '../store.ts'
import { sqliteDialect } from './dialect.ts'
import { guarded, isBusy, isWriteRefused, translated } from './errors.ts'
import { epochOf, type Handle, keepEpoch, openReader, openWriter, tryToWrite } from './handle.ts'
import { HalfDone, type Job, runDecision, runJob } from './job.ts'
import { ReadingProcess } from './reading-process.ts'

const LOCK_WAIT_MILLISECONDS = 1_000
const LOCK_RETRY_MILLISECONDS = 5
const GATHERING_TURNS = 4

/**
 * One file, one writer, one separate reader. Writes of one turn of the event loop share one commit, and several wait
 * for those of the next turns. If one of several fails half done, all are run again, each with a savepoint of its own.
 */
export class SqliteEngine implements Engine, StoreReads {
  readonly name: string
  readonly at: string
  readonly #writer: Handle
  readonly #reader: Handle
  /** Undefined for a store in memory, which only its own handle can read. */
  readonly #process: ReadingProcess | undefined
  readonly #epoch: number
  #isEpochKept = false
  #commits = 0
  #isReadOnly = false
  #queue: Job[] = []
  #isSharing = false
  #isCommitting = false

  constructor(name: string, file: string, writer: Handle = openWriter(name, file)) {
    this.name = name
    this.at = file
    this.#writer = writer
    this.#reader = file === ':memory:' ? this.#writer : openReader(file)
    this.#process = this.#reader === this.#writer ? undefined : new ReadingProcess(name, file)
    this.#epoch = guarded(name, () => epochOf(this.#writer)) + 1
  }

  dialect(): Dialect {
    return sqliteDialect((query) => this.run(query))
  }

  async run(query: CompiledQuery): Promise<QueryResult<unknown>> {
    refuseInsideDecision()
    if (isRead(query)) return this.#read(query)
    const [result] = await this.batch([query])
    return result ?? { rows: [] }
  }

  #read(query: CompiledQuery): QueryResult<unknown> {
    this.#notePosition()
    return guarded(this.name, () => {
      this.#shareSnapshot()
      return this.#reader.run(query)
    })
  }

  /** Reads of one turn of the event loop share one snapshot, because taking one costs as much as a read. */
  #shareSnapshot(): void {
    if (this.#isSharing || this.#reader === this.#writer) return
    this.#reader.exec('begin')
    this.#isSharing = true
    setImmediate(() => this.#endSnapshot())
  }

  #endSnapshot(): void {
    if (!this.#isSharing) return
    this.#isSharing = false
    if (this.#reader.database.isTransaction) this.#reader.exec('commit')
  }

  async batch(queries: readonly CompiledQuery[]): Promise<readonly QueryResult<unknown>[]> {
    return this.#enqueue({ queries })
  }

  async decide(work: Work): Promise<void> {
    // Run by the turn's commit, in the context of the request. `AsyncLocalStorage.bind` would make a prototype of its
    // function, which keeps all of the request until the whole heap is collected.
    const request = new AsyncResource('decision')
    await this.#enqueue({ queries: [], work: (send) => request.runInAsyncScope(work, undefined, send) })
  }

  #enqueue(job: Pick<Job, 'queries' | 'work'>): Promise<readonly QueryResult<unknown>[]> {
    refuseInsideDecision()
    this.#notePosition()
    if (this.#queue.length === 0) this.#gather(GATHERING_TURNS)
    const since = performance.now()
    return new Promise((resolve, reject) => this.#queue.push({ ...job, since, resolve, reject }))
  }

  /** A write by itself is committed at once. Several wait for one more turn after each turn that brings another. */
  #gather(turns: number, known = 1): void {
    setImmediate(() => {
      const { length } = this.#queue
      if (length > known && turns > 1) this.#gather(turns - 1, length)
      else void this.#commitTurn()
    })
  }

  /** A short read takes one turn of the event loop, so all of it comes from one snapshot. */
  async snapshot(
    queries: readonly CompiledQuery[],
    _from: Reads,
    length: Length,
  ): Promise<readonly QueryResult<unknown>[]> {
    refuseInsideDecision()
    refuseWrites(queries)
    if (length === 'long' && this.#process) {
      this.#notePosition()
      return this.#process.read(queries, currentSenderLeaving())
    }
    return queries.map((query) => this.#read(query))
  }

  replicas(): readonly [] {
    return []
  }

  connections(): undefined {
    return undefined
  }

  async freeBytes(): Promise<number | undefined> {
    if (this.at === ':memory:') return undefined
    const { bavail, bsize } = await statfs(dirname(this.at))
    return bavail * bsize
  }

  /** A file has no replica that could replace it while it is open. */
  async history(): Promise<string> {
    return 'embedded'
  }

  async ping(): Promise<void> {
    guarded(this.name, () => this.#reader.database.exec('select 1'))
    if (this.#isReadOnly && !this.#isCommitting) this.#tryAgain()
  }

  async examine(): Promise<StoreClock> {
    await this.ping()
    return { at: Date.now(), roundTripMilliseconds: 0 }
  }

  async close(): Promise<void> {
    await this.#commitTurn()
    while (this.#queue.length > 0 || this.#isCommitting) await wait(LOCK_RETRY_MILLISECONDS)
    this.#endSnapshot()
    await this.#process?.close()
    if (this.#reader !== this.#writer) this.#reader.close()
    this.#writer.close()
  }

  #notePosition(): void {
    currentReadPosition()?.noteReads(this.name, this)
  }

  /**
   * A counter of commits within an epoch. The epoch counts the openings that committed, so the position only
   * grows, even across restarts.
   */
  async position(): Promise<string> {
    return `${this.#epoch}.${this.#commits}`
  }

  /** Ends before the event loop goes on; without decisions, before it returns. */
  async #commitTurn(): Promise<void> {
    const jobs = this.#queue
    if (jobs.length === 0 || this.#isCommitting) return
    this.#queue = []
    this.#endSnapshot()
    if (!this.#lock(jobs)) return
    this.#isCommitting = true
    try {
      if (!this.#isEpochKept) keepEpoch(this.#writer, this.#epoch)
      const outcomes: (() => void)[] = []
      for (const job of jobs) {
        const { work } = job
        outcomes.push(
          work ? await runDecision(this.name, this.#writer, { ...job, work }) : runJob(this.name, this.#writer, job),
        )
      }
      this.#writer.exec('commit')
      // A read between two decisions has opened a snapshot from before this commit.
      this.#endSnapshot()
      this.#isEpochKept = true
      this.#commits++
      for (const settle of outcomes) settle()
    } catch (error) {
      this.#writer.rollback()
      this.#undone(jobs, error)
    } finally {
      this.#isCommitting = false
    }
  }

  /** A job by itself that has failed half done is not run again: nothing of it is left. */
  #undone(jobs: readonly Job[], error: unknown): void {
    const isHalfDone = error instanceof HalfDone
    if (isHalfDone && jobs.length > 1) {
      this.#queue.unshift(...jobs.map((job) => ({ ...job, isApart: true as const })))
      queueMicrotask(() => void this.#commitTurn())
      return
    }
    const cause = isHalfDone ? error.cause : error
    this.#noteRefusal(cause)
    for (const job of jobs) job.reject(translated(this.name, cause))
  }

  /** False while another process writes: reads go on meanwhile, and the jobs are tried again, each for a second. */
  #lock(jobs: readonly Job[]): boolean {
    try {
      this.#writer.exec('begin immediate')
      return true
    } catch (error) {
      const now = performance.now()
      const isOver = ({ since }: Job) => !isBusy(error) || now - since > LOCK_WAIT_MILLISECONDS
      this.#noteRefusal(error)
      this.#queue = jobs.filter((job) => !isOver(job))
      if (this.#queue.length > 0) setTimeout(() => this.#commitTurn(), LOCK_RETRY_MILLISECONDS)
      for (const job of jobs.filter(isOver)) job.reject(translated(this.name, error))
      return false
    }
  }

  #noteRefusal(error: unknown): void {
    if (isWriteRefused(error)) this.#isReadOnly = true
  }

  /** Only the health check notices that writes work again. */
  #tryAgain(): void {
    try {
      tryToWrite(this.#writer)
      this.#isReadOnly = false
    } catch (cause) {
      if (isBusy(cause)) return
      throw new StoreReadOnly(this.name, { cause })
    }
  }
}
