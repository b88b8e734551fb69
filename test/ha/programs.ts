import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { descendants } from '../processes/process-tree.ts'

/** A long-running program of others, whose output goes into a file. */
export class Running {
  readonly #command: readonly string[]
  readonly #log: string
  readonly #options: SpawnOptions
  #process: ChildProcess | undefined

  constructor(command: readonly string[], log: string, options: SpawnOptions = {}) {
    this.#command = command
    this.#log = log
    this.#options = options
  }

  start(): void {
    const [program = '', ...args] = this.#command
    const log = openSync(this.#log, 'a')
    this.#process = spawn(program, args, { cwd: '/', ...this.#options, stdio: ['ignore', log, log] })
    closeSync(log)
  }

  /** Itself, and what it started. */
  pids(): readonly number[] {
    const { pid } = this.#process ?? {}
    return pid === undefined || !this.#isOn() ? [] : [pid, ...descendants(pid)]
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of this.pids()) process.kill(pid, signal)
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#process || !this.#isOn()) return
    const ended = once(this.#process, 'exit')
    this.#process.kill(signal)
    await ended
  }

  said(): string {
    return readFileSync(this.#log, 'utf8')
  }

  #isOn(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null
  }
}
