import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cores, pinned } from './cores.ts'
import type { told } from './generator-process.ts'
import type { Load, LoadResult } from './load.ts'

export type Ask = Readonly<{ url: string; method: string; headers: Readonly<Record<string, string>>; body?: string }>

/** Sends requests from a process and a core of its own, so that their sending and reading is not counted. */
export class Generator implements AsyncDisposable {
  readonly #child: ChildProcess

  constructor() {
    const [command, ...args] = pinned(cores.load, [process.execPath, 'bench/load/generator-process.ts'])
    this.#child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  }

  run(load: Load): Promise<LoadResult> {
    return this.#answer({ load })
  }

  /** One request, whose response is read to its end. */
  ask(ask: Ask): ReturnType<typeof told> {
    return this.#answer({ ask })
  }

  async #answer<T>(message: { readonly load: Load } | { readonly ask: Ask }): Promise<T> {
    this.#child.send(message)
    const [{ result, error }] = await once(this.#child, 'message')
    if (error !== undefined) throw new Error(`the load generator: ${error}`)
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}
