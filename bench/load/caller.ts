import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cores, pinned } from './cores.ts'

export interface Ask {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Told {
  readonly status: number
  readonly bytes: number
  /** How it begins. */
  readonly words: string
}

/** Sends one request at a time from its own process, and reads the response to its end. */
export class Caller implements AsyncDisposable {
  readonly #child: ChildProcess

  constructor() {
    const [command, args] = pinned(cores.load, process.execPath, ['bench/load/caller-process.ts'])
    this.#child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  }

  async ask(request: Ask): Promise<Told> {
    this.#child.send(request)
    const [answer] = await once(this.#child, 'message')
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}
