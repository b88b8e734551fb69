import { Worker } from 'node:worker_threads'
import type { CompiledQuery, QueryResult } from 'kysely'
import { MINUTE_MILLISECONDS } from '../../rules/time.ts'
import { StoreUnavailable } from '../store.ts'
import { translated } from './errors.ts'
import type { Asked, Read } from './reading-worker.ts'

const IDLE_MILLISECONDS = MINUTE_MILLISECONDS

type Results = readonly QueryResult<unknown>[]

interface Waiting {
  readonly resolve: (results: Results) => void
  readonly reject: (error: unknown) => void
}

/** Reads a store's file in a thread of its own, which starts with the first read and ends when it is idle. */
export class ReadingThread {
  readonly #store: string
  readonly #file: string
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #asked = 0
  #idle: NodeJS.Timeout | undefined

  constructor(store: string, file: string) {
    this.#store = store
    this.#file = file
  }

  /** The results are of one moment, which is not before this call. */
  read(queries: readonly CompiledQuery[]): Promise<Results> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const number = ++this.#asked
    const asked: Asked = { number, queries: queries.map(({ sql, parameters }) => ({ sql, parameters })) }
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject })
      worker.ref()
      worker.postMessage(asked)
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#fail(new StoreUnavailable(this.#store))
    await worker?.terminate()
  }

  #start(): Worker {
    // In the build, both are files side by side.
    const name = import.meta.url.endsWith('.ts') ? './reading-worker.ts' : './reading-worker.mjs'
    const worker = new Worker(new URL(name, import.meta.url), { workerData: this.#file })
    worker.on('message', (read: Read) => this.#settle(read))
    worker.on('error', (cause) => this.#fail(new StoreUnavailable(this.#store, { cause })))
    return worker
  }

  #settle({ number, results, refused }: Read): void {
    const waiting = this.#waiting.get(number)
    this.#waiting.delete(number)
    if (this.#waiting.size === 0) this.#rest()
    if (results) waiting?.resolve(results)
    else waiting?.reject(translated(this.#store, Object.assign(new Error(refused?.message), refused)))
  }

  /** A thread that waits for work keeps no process alive. */
  #rest(): void {
    this.#worker?.unref()
    this.#idle = setTimeout(() => void this.close(), IDLE_MILLISECONDS).unref()
  }

  #fail(error: StoreUnavailable): void {
    this.#worker = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { reject } of waiting) reject(error)
  }
}
