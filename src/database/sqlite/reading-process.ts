import { type ChildProcess, fork } from 'node:child_process'
import type { CompiledQuery, QueryResult } from 'kysely'
import { ownCode } from '../../config/own-files.ts'
import { MINUTE_MILLISECONDS } from '../../rules/time.ts'
import { StoreUnavailable, TookTooLong } from '../store.ts'
import { translated } from './errors.ts'
import type { Queries, Read } from './reading-child.ts'

const IDLE_MILLISECONDS = MINUTE_MILLISECONDS

/** The same limits that PostgreSQL gets. */
const LONGEST_MILLISECONDS = 10_000

type Results = readonly QueryResult<unknown>[]

interface Reading {
  readonly asked: Queries
  readonly resolve: (results: Results) => void
  readonly reject: (error: unknown) => void
}

/**
 * Reads a store's file in a process of its own, which starts with the first read and ends when it is idle. A process
 * and not a thread: Node cannot interrupt a statement of SQLite, but it can kill a process.
 */
export class ReadingProcess {
  readonly #store: string
  readonly #file: string
  /** The first of them is running. */
  readonly #readings: Reading[] = []
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #closed = false

  constructor(store: string, file: string) {
    this.#store = store
    this.#file = file
  }

  /** All results are from one moment, which is not before this call. `leaving` ends the read, and so does its limit. */
  async read(
    queries: readonly CompiledQuery[],
    leaving?: AbortSignal,
    longestMilliseconds = LONGEST_MILLISECONDS,
  ): Promise<Results> {
    if (this.#closed) throw new StoreUnavailable(this.#store)
    if (leaving?.aborted) throw new TookTooLong()
    const { promise, resolve, reject } = Promise.withResolvers<Results>()
    const asked = queries.map(({ sql, parameters }) => ({ sql, parameters }))
    const reading = { asked, resolve, reject }
    const stop = () => this.#stop(reading)
    const late = setTimeout(stop, longestMilliseconds)
    leaving?.addEventListener('abort', stop)
    this.#readings.push(reading)
    if (this.#readings.length === 1) this.#begin(reading)
    try {
      return await promise
    } finally {
      clearTimeout(late)
      leaving?.removeEventListener('abort', stop)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const cause = new Error('the store was closed')
    for (const { reject } of this.#readings.splice(0)) reject(new StoreUnavailable(this.#store, { cause }))
    await this.#end()
  }

  #begin({ asked }: Reading): void {
    clearTimeout(this.#idle)
    try {
      this.#child ??= this.#start()
      this.#child.ref()
      this.#child.channel?.ref()
      // One that could not be started says so in its next turn.
      if (this.#child.pid !== undefined) this.#child.send(asked)
    } catch (cause) {
      this.#fail(cause)
    }
  }

  #start(): ChildProcess {
    const child = fork(ownCode('./reading-child', import.meta.url), [this.#file], {
      serialization: 'advanced',
      execArgv: [],
    })
    // An answer to a read that was stopped may still be on its way from the process that was ended for it.
    child.on('message', (read) => child === this.#child && this.#settle(read as Read))
    child.on('error', (cause) => this.#lost(child, cause))
    child.on('exit', (code, signal) =>
      this.#lost(child, new Error(`the process of its long reads ended (${signal ?? code})`)),
    )
    return child
  }

  #settle({ results, refused }: Read): void {
    const reading = this.#readings.shift()
    this.#goOn()
    if (results) reading?.resolve(results)
    else reading?.reject(translated(this.#store, Object.assign(new Error(refused?.message), refused)))
  }

  #stop(reading: Reading): void {
    const at = this.#readings.indexOf(reading)
    if (at < 0) return
    this.#readings.splice(at, 1)
    reading.reject(new TookTooLong())
    if (at > 0) return
    void this.#end()
    this.#goOn()
  }

  #lost(child: ChildProcess, cause: unknown): void {
    if (child === this.#child) this.#fail(cause)
  }

  #fail(cause: unknown): void {
    this.#child = undefined
    this.#readings.shift()?.reject(new StoreUnavailable(this.#store, { cause }))
    this.#goOn()
  }

  #goOn(): void {
    const [next] = this.#readings
    if (next) this.#begin(next)
    else this.#rest()
  }

  /** An idle reading process must not keep this one alive. */
  #rest(): void {
    this.#child?.unref()
    this.#child?.channel?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#end(), IDLE_MILLISECONDS).unref()
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle)
    const child = this.#child
    this.#child = undefined
    if (child?.pid === undefined || child.exitCode !== null) return
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.ref()
    child.kill('SIGKILL')
    await ended
  }
}
