import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { ownCode, startThread } from '../../../src/config/own-files.ts'
import { Failure, usage } from '../../terminal/failure.ts'
import type { Io } from '../../terminal/io.ts'

/** The real jq, as WebAssembly. It has a thread of its own, so that Ctrl-C ends a filter that runs for ever. */
export class Jq {
  readonly #io: Io
  readonly #expression: string
  readonly #thread: Worker

  constructor(io: Io, expression: string) {
    this.#io = io
    this.#expression = expression
    this.#thread = startThread(ownCode('./jq-thread', import.meta.url))
  }

  /** Refuses an expression that does not compile before anything is sent, so that no write is done without its output. */
  async check(): Promise<void> {
    const { trouble = '' } = await this.#evaluate('null', [])
    if (/compile error|syntax error/.test(trouble)) throw usage(`--jq: ${trouble.split('\n')[0]}`)
  }

  /** Text comes out without quotes, as gh's users expect; the rest is compact in a pipe, pretty on a terminal. */
  async run(json: string): Promise<string> {
    const { output, trouble } = await this.#evaluate(json, this.#io.isTTY.stdout ? ['-r'] : ['-r', '-c'])
    if (output === undefined) throw new Failure('refused', `--jq: ${trouble}`)
    return output
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate()
  }

  async #evaluate(json: string, flags: string[]): Promise<Outcome> {
    this.#thread.postMessage({ json, expression: this.#expression, flags })
    const [outcome] = await once(this.#thread, 'message', { signal: this.#io.interrupted })
    return outcome
  }
}

type Outcome = { output: string; trouble?: undefined } | { output?: undefined; trouble: string }
