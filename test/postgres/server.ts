import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { descendants } from '../processes/process-tree.ts'
import { postgresPrograms } from './programs.ts'
import { unprivilegedUser } from './user.ts'

/** One server process and its folder. */
export class PostgresServer {
  readonly name: string
  readonly port: number
  readonly #data: string
  readonly #settings: readonly string[]
  #process: ChildProcess | undefined

  constructor(name: string, data: string, port: number, settings: readonly string[]) {
    this.name = name
    this.port = port
    this.#data = data
    this.#settings = settings
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  /** Puts a file beside the server's data that only the server can read, and returns its path. */
  place(name: string, content: string): string {
    const file = join(this.#data, name)
    writeFileSync(file, content, { mode: 0o600 })
    const { uid, gid } = unprivilegedUser()
    if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
    return file
  }

  /** Takes further settings if its role has changed. */
  async start(further: readonly string[] = []): Promise<void> {
    rmSync(join(this.#data, 'postmaster.pid'), { force: true })
    const log = openSync(`${this.#data}.log`, 'w')
    const flags = [
      '-D',
      this.#data,
      '-p',
      String(this.port),
      ...[...this.#settings, ...further].flatMap((setting) => ['-c', setting]),
    ]
    this.#process = spawn(join(postgresPrograms(), 'postgres'), flags, {
      ...unprivilegedUser(),
      cwd: '/',
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    await this.#ready(this.#process)
  }

  /** Replaces its data by a copy of another server's; both must be stopped. */
  copyFrom(other: PostgresServer): void {
    rmSync(this.#data, { recursive: true, force: true })
    execFileSync('cp', ['-a', other.#data, this.#data])
  }

  /** Makes it a replica, or a primary, from its next start on. */
  becomeReplica(isReplica: boolean): void {
    const mark = join(this.#data, 'standby.signal')
    if (isReplica) writeFileSync(mark, '')
    else rmSync(mark, { force: true })
  }

  /** The server and every process that it has; undefined while it does not run. */
  pids(): readonly number[] | undefined {
    const { pid } = this.#process ?? {}
    if (pid === undefined || !this.#running) return undefined
    return [pid, ...descendants(pid)]
  }

  /** Lets this process end while the server runs, which then ends too. */
  unref(): void {
    this.#process?.unref()
  }

  /** Freezes all of its processes, or lets them continue. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const each of this.pids() ?? []) {
      if (existsSync(`/proc/${each}`)) process.kill(each, signal)
    }
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT')
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  endAtOnce(): void {
    if (this.#running) this.#process?.kill('SIGQUIT')
  }

  get #running(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#process || !this.#running) return
    this.#process.kill(signal)
    await once(this.#process, 'exit')
  }

  /** The server logs when it is ready; there is nothing else to wait for. */
  async #ready(server: ChildProcess): Promise<void> {
    const deadline = AbortSignal.timeout(STARTS_WITHIN_MILLISECONDS)
    while (!this.#log().includes('ready to accept')) {
      if (server.exitCode !== null || deadline.aborted)
        throw new Error(`${this.name} did not start: ${this.#log().slice(-800)}`)
      await pause(10)
    }
  }

  /** Lines, because the log of a whole run can be longer than a string. */
  logLines(fromByte = 0): AsyncIterable<string> {
    return createInterface(createReadStream(`${this.#data}.log`, { start: fromByte }))
  }

  logBytes(): number {
    return statSync(`${this.#data}.log`).size
  }

  #log(): string {
    return readFileSync(`${this.#data}.log`, 'utf8')
  }
}

const STARTS_WITHIN_MILLISECONDS = 120_000
