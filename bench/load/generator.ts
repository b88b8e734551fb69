import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cores, pinned } from './cores.ts'
import type { Load, LoadResult } from './load.ts'

/** The load generator in its own process. */
export class Generator implements AsyncDisposable {
  readonly #child: ChildProcess

  constructor() {
    const [command, args] = pinned(cores.load, process.execPath, ['bench/load/load-process.ts'])
    this.#child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  }

  async run(load: Load): Promise<LoadResult> {
    this.#child.send(load)
    const [answer] = await once(this.#child, 'message')
    if (answer.error !== undefined) throw new Error(`load on port ${load.port}: ${answer.error}`)
    return answer.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}
